/**
 * HTML that escapes by construction. Whatever a template interpolates is text, unless it is itself `Html`; there is no way to pass a text through as mark-up.
 * Invisible characters (controls, bidi, zero width) are written out, so that a stranger's title can't reorder or hide
 * what stands beside it.
 */
export class Html {
  readonly text: string
  private constructor(text: string) {
    this.text = text
  }
  /** Only for `html` and for mark-up that this program drew itself. */
  static ofOwn(text: string): Html {
    return new Html(text)
  }
}

/** `false`, `undefined` and `null` are nothing, so that `condition && html…` can be written. */
export type Piece = Html | string | number | bigint | false | undefined | null | readonly Piece[]

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  let text = strings[0]
  for (let i = 0; i < pieces.length; i++) text += markup(pieces[i]) + strings[i + 1]
  return Html.ofOwn(text)
}

function markup(piece: Piece): string {
  if (piece === false || piece === undefined || piece === null) return ''
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(markup).join('')
  return escaped(written(String(piece)))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character])

/** Controls but for tab and line feed, format characters (bidi, zero width, tags), separators, private and half characters. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** For a hidden field, which comes back with its form as it was given. */
export const exact = (text: string): Html => Html.ofOwn(escaped(text))

const written = (text: string): string =>
  text.replace(UNSEEN, (character) => `⟨${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`)

/** Longer texts are cut: a URL may have two million characters. */
export const MAX_SHOWN = 300

/** A stranger's text for one line: cut, on one line, isolated from the direction of what stands around it. */
export function visible(text: string, maxLength = MAX_SHOWN): Html {
  const cut = text.length > maxLength
  const shown = text.slice(0, maxLength).replace(/[\t\n\r]+/g, ' ')
  return html`<bdi>${shown}${cut && '…'}</bdi>${cut && html` <small>(${text.length.toLocaleString('en')} characters)</small>`}`
}

/** A path below the base with its query; parameters that are undefined are left out. */
export function href(base: string, path: string, query: Record<string, string | number | undefined> = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${base}${path}${search.size > 0 ? `?${search}` : ''}`
}
