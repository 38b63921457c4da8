/** What was wrong with a page: a closed list, so that it can be logged and counted. */
export const TROUBLES = [
  /** More links than are kept; the rest was dropped. */
  'links>50000',
  /** References too long to be URLs were dropped. */
  'href>8192',
  /** More links in scripts than are plausible; the rest was dropped. */
  'script-links>200',
  /** Text after its first million characters was dropped. */
  'text>1000000',
  /** Declared as HTML or text, but binary: nothing was read (V14). */
  'binary',
  /** Declared as HTML or text, of some size, but without links and words, or even white space (V32). */
  'belied:no-words',
  'belied:no-white-space',
  /** It says only that the browser is not supported, or lacks JavaScript or cookies (V28). */
  'unsupported-browser',
] as const
export type Trouble = (typeof TROUBLES)[number]

/**
 * A wrong media type seen from the result (V32): what was read as HTML or text has no links, no words, no white space.
 * Short content proves nothing; nor does a page of scripts, whose tags show that it is a page.
 */

export interface Result {
  /** Characters of the whole content. */
  size: number
  /** Links that can be followed. */
  links: number
  words: number
  /** Characters of text, and of the long strings that were left out of it (`extract/text.ts`), and how many strings. */
  length: number
  leftOut: number
  strings: number
  /** Known HTML tags of three letters and more: random bytes have none. */
  tags: number
}

const MIN_SIZE = 1024
/** Characters of content per character of text: so little text is noise, as an accidental space in encoded data. */
const NOISE = 50

export function belied(result: Result): Trouble | undefined {
  const { size, links, words, length, leftOut, strings, tags } = result
  if (links > 0 || words * NOISE > Math.max(size, leftOut)) return undefined
  const isNoise = length * NOISE <= leftOut && leftOut >= MIN_SIZE
  const isNothing = tags === 0 && size >= MIN_SIZE && length * NOISE <= size
  if (!isNoise && !isNothing) return undefined
  return words === 0 && strings <= 1 ? 'belied:no-white-space' : 'belied:no-words'
}

/**
 * Answers that only say "your browser is not supported", or ask for JavaScript or cookies (V28). They are recognised,
 * never evaded: a crawler that pretends to be a browser is impolite.
 *
 * Such a page is short, some sentence complains, and without the sentences about browsers next to nothing is left. A
 * page that says more than its warning is a page.
 */

/** Longer texts have content. */
const MAX_WORDS = 200
/** Links to supported browsers. */
const MAX_LINKS = 12
/** Words beside the complaint: a name, a year, a button. */
const MAX_OTHER_WORDS = 12
const LONGEST_TEXT = 3000

/** By language; accents are removed before comparing. */
const COMPLAINTS: Readonly<Record<string, readonly string[]>> = {
  en: [
    'browser (?:version )?(?:you are using )?(?:is|was) (?:not supported|no longer supported|unsupported|outdated|out of date|too old|not compatible)',
    'browser (?:does not|doesn.?t) (?:support|accept|have)',
    '(?:unsupported|outdated|incompatible) (?:web )?browser',
    '(?:do not|don.?t|no longer) support (?:your|this) (?:web )?browser',
    '(?:upgrade|update) (?:to a (?:newer|modern)|your) (?:web )?browser',
    '(?:enable|activate|turn on|allow) (?:java ?script|(?:the use of )?cookies)',
    '(?:java ?script|cookies) (?:is|are|must be|needs? to be|to be)? ?(?:currently )?(?:required|disabled|enabled|turned off|switched off|not enabled)',
    '(?:requires?|needs?) (?:java ?script|cookies)',
    'without (?:java ?script|cookies) (?:enabled)?',
  ],
  pt: [
    '(?:browser|navegador) (?:web )?(?:nao (?:e |esta )?(?:suportad|compativel|suporta)|(?:esta )?desatualizado|incompativel)',
    '(?:ative|active|habilite|ativar|activar|habilitar) (?:o |os )?(?:java ?script|cookies)',
    '(?:java ?script|cookies) (?:esta|estao|precisa|precisam|deve|devem)? ?(?:estar )?(?:desativad|desactivad|desabilitad|ativad|activad|habilitad)',
    '(?:atualize|actualize) (?:o )?(?:seu )?(?:browser|navegador)',
    '(?:requer|necessita de|precisa de) (?:java ?script|cookies)',
  ],
  es: [
    'navegador (?:web )?(?:no (?:es |esta )?(?:compatible|soporta|admite|admitido)|(?:esta )?(?:desactualizado|obsoleto))',
    '(?:active|activa|activar|habilite|habilita|habilitar) (?:el |las )?(?:java ?script|cookies)',
    '(?:java ?script|cookies) (?:esta|estan|debe|deben)? ?(?:estar )?(?:desactivad|deshabilitad|activad|habilitad)',
    '(?:actualice|actualiza) (?:su|tu) navegador',
    '(?:requiere|necesita) (?:java ?script|cookies)',
  ],
  de: [
    'browser (?:wird|ist) (?:leider )?(?:nicht (?:mehr )?unterstutzt|veraltet|nicht kompatibel)',
    'browser unterstutzt (?:leider )?(?:kein|keine|nicht)',
    'veralteter browser|veralteten browser',
    '(?:java ?script|cookies) (?:bitte )?(?:ist|sind|muss|mussen|wird|werden)? ?(?:in ihrem browser |im browser )?(?:deaktiviert|aktiviert|aktivieren|benotigt|erforderlich|zulassen|einschalten)',
    'aktivieren sie (?:bitte )?(?:java ?script|cookies)',
    '(?:benotigt|erfordert|braucht) (?:java ?script|cookies)',
  ],
  fr: [
    'navigateur (?:web )?(?:n.?est (?:pas|plus) (?:pris en charge|supporte|compatible)|ne (?:supporte|prend) pas|(?:est )?(?:obsolete|trop ancien))',
    '(?:activer|activez|autoriser|autorisez) (?:le |les )?(?:java ?script|cookies)',
    '(?:java ?script|cookies) (?:est|sont|doit etre|doivent etre)? ?(?:desactive|active|requis|necessaire)',
    '(?:mettre|mettez) a jour votre navigateur',
    '(?:necessite|requiert) (?:java ?script|(?:l.activation|les) )',
  ],
  it: [
    '(?:browser|navigatore) (?:web )?(?:non (?:e )?(?:supportato|compatibile|supporta)|(?:e )?(?:obsoleto|non aggiornato))',
    '(?:abilita|abilitare|abilitate|attiva|attivare|attivate) (?:i |il )?(?:java ?script|cookies?)',
    '(?:java ?script|cookies?) (?:e|sono|deve|devono)? ?(?:essere )?(?:disabilitat|disattivat|abilitat|attivat)',
    '(?:aggiorna|aggiornare|aggiornate) il (?:tuo|vostro|suo)? ?browser',
    '(?:richiede|necessita di) (?:java ?script|cookies?)',
  ],
}

const COMPLAINT = new RegExp(Object.values(COMPLAINTS).flat().join('|'))
/** A sentence about browsers has no other content, whether it complains or advises. */
const ABOUT_BROWSERS =
  /browser|navegador|navigateur|java ?script|cookies?\b|chrome|firefox|safari|\bedge\b|internet explorer|\bopera\b|netscape|mozilla|reload|refresh|recarreg|recarga|neu laden|recharge|ricarica|download|upgrade|update/

export interface ShortPage {
  title: string
  words: number
  links: number
  /** Of the text, in characters; the text itself is made only if it is short. */
  length: number
  text: { text(): string }
}

export function isBrowserComplaint({ title, words, links, length, text }: ShortPage): boolean {
  if (words === 0 || words > MAX_WORDS || links > MAX_LINKS || length > LONGEST_TEXT) return false
  const said = folded(text.text())
  if (!COMPLAINT.test(said) && !COMPLAINT.test(folded(title))) return false
  let others = 0
  for (const sentence of said.split(/[\n.!?;:]+/)) if (!ABOUT_BROWSERS.test(sentence)) others += wordsIn(sentence)
  return others <= MAX_OTHER_WORDS
}

function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]+/g, '')
}

function wordsIn(sentence: string): number {
  return sentence.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
}
