/** Who we say we are: the same token that robots.txt is asked for. */
import { Problem } from '../../base/errors.ts'

export interface Identity {
  /** RFC 9309's product token: letters, `_` and `-`. */
  name: string
  version: string
  /** A URL or a mail address where a webmaster finds us. */
  contact?: string
}

/** `NAME/VERSION (+CONTACT)`. */
export function userAgent({ name, version, contact }: Identity): string {
  if (!/^[A-Za-z_-]{1,64}$/.test(name)) {
    throw new Problem(
      'bad-flag',
      `user agent name ${JSON.stringify(name)}: only letters, "_" and "-", as robots.txt has it`,
    )
  }
  if (!/^[\w!#$%&'*+.^`|~-]{1,32}$/.test(version)) {
    throw new Problem('bad-flag', `user agent version ${JSON.stringify(version)}: only a token such as 1.2.0`)
  }
  if (contact === undefined || contact === '') return `${name}/${version}`
  if (contact.length > 200 || !/^[!-~]+$/.test(contact) || /[()\\]/.test(contact)) {
    throw new Problem(
      'bad-flag',
      `contact ${JSON.stringify(contact.slice(0, 80))}: a URL or mail address of at most 200 plain characters, without blanks and parentheses`,
    )
  }
  return `${name}/${version} (+${contact})`
}
