/** A request as it is written: the URL's own spelling, Host first (RFC 9110 §7.2), nothing that begins a line of its own. */
import { assert } from '../base/assert.ts'
import type { Headers } from '../contracts/exchange.ts'

/** From the text: `search` is empty for `/a?`, which is another URL than `/a` and would be asked for as the same. */
export function requestTarget({ href, protocol }: URL): string {
  const from = href.indexOf('/', protocol.length + 2)
  const hash = href.indexOf('#', from)
  return hash < 0 ? href.slice(from) : href.slice(from, hash)
}

/** All that follows the target. Credentials in the URL are never sent. */
export function afterTarget(host: string, headers: Headers): string {
  let text = ` HTTP/1.1\r\nHost: ${host}\r\n`
  for (const [name, value] of headers) {
    assert(/^[\w!#$%&'*+.^`|~-]+$/.test(name), `header name ${name}`)
    // Values may come from the web (an ETag, a cookie): nothing in them may begin a line of its own.
    text += `${name}: ${value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')}\r\n`
  }
  return `${text}Connection: keep-alive\r\n\r\n`
}
