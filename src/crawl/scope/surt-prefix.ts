/**
 * SURT prefixes as web archivists write scopes: the host's labels turned round, so that a prefix is a domain, a host or
 * a part of one. `org,example,` is example.org with all its hosts; `http://(org,example,www,)/news/` a folder of one.
 */
import { exactPath, type WebUrl } from '../../web/url/web-url.ts'

/** `org,example,www,)/path`, with `:8080` before the bracket when the port says something. Addresses are not turned round. */
export function surtForm(url: WebUrl): string {
  const host = isAddress(url.host) ? url.host : `${url.host.split('.').reverse().join(',')},`
  const port = url.site.length > url.host.length ? url.site.slice(url.host.length) : ''
  return `${host}${port})${exactPath(url)}`
}

/** Scheme and opening bracket are left out, `https` means no less than `http`; `org,example)/` gets its last comma. */
export function surtPrefix(text: string): string {
  const bare = text
    .trim()
    .replace(/^\+/, '')
    .replace(/^https?:\/\//i, '')
    .replace(/^\(/, '')
  const close = bare.indexOf(')')
  if (close < 0) return bare.toLowerCase()
  const host = bare.slice(0, close).toLowerCase()
  const rest = bare.slice(close)
  return (host.endsWith(',') || isAddress(host) || host.includes(':') ? host : `${host},`) + rest
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}
