/** What was wrong with a page, in words that a log can carry: a closed list, so that it can be counted. */
export type Trouble =
  /** More links than are kept; the rest was dropped. */
  | 'links>50000'
  /** References too long to be URLs were dropped. */
  | 'href>8192'
  /** More links in scripts than are believed; the rest was dropped. */
  | 'script-links>200'
  /** Text after its first million characters was dropped. */
  | 'text>1000000'
  /** Declared as HTML or text, and neither: nothing was read (V14). */
  | 'binary'
  /** Declared as HTML or text, of some size, and what was read has no links and no words, or not even white space (V32). */
  | 'belied:no-words'
  | 'belied:no-white-space'
  /** It says nothing but that the browser is not supported, or lacks JavaScript or cookies (V28). */
  | 'unsupported-browser'

export const TROUBLES: readonly Trouble[] = [
  'links>50000',
  'href>8192',
  'script-links>200',
  'text>1000000',
  'binary',
  'belied:no-words',
  'belied:no-white-space',
  'unsupported-browser',
]
