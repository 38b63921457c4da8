/** Prose of six languages: enough for detectors to tell them apart, drawn by the page so that no two pages read alike. */
import { Draws } from './chance.ts'
import type { Charset } from './charset.ts'

export type Language = 'en' | 'pt' | 'de' | 'el' | 'ru' | 'fr'

const WORDS: Record<Language, string> = {
  en: 'the of and to in is that for it was on are with they this have from or had by not but what some we can out other were all your when up use word how said an each which do their time if will way about many then them would write like these her long make thing see him two has look more day could go come did number sound people over know water than first been call who oil now find',
  pt: 'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós coração informação página língua avó',
  de: 'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei prozent hatte kann gegen vom können schon wenn habe seine ihre dann unter wir soll ich eines jahr zwei jahren über größe straße mädchen',
  el: 'και το της να η του στην για την με σε από που τα οι στο των τον δεν είναι θα τις μια τους αυτό αλλά στα ένα είχε ήταν κατά όπως πολύ μετά όταν πριν μόνο χρόνια ελλάδα σελίδα νερό κόσμος γλώσσα άνθρωπος ημέρα πόλη σπίτι δρόμος θάλασσα ουρανός βιβλίο λόγος ζωή μέρος χώρα κράτος παιδί γυναίκα άνδρας φίλος εργασία',
  ru: 'и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой что от со для о год еще бы такой только себя один как уже до время если сказать человек говорить тот этот мочь дело жизнь день рука раз работа слово место вопрос лицо друг глаз дом страна мир случай голова ребенок сила конец вид система часть город отношение женщина земля машина вода отец проблема час право',
  fr: 'de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec ils être à son nous comme mais ont été cette aux elle deux même tout ses où très bien sans peut fait leur après aussi années entre autre encore temps toujours société français depuis contre ainsi pendant première jusqu’à eau homme femme pays monde état école',
}

interface Stock {
  words: readonly string[]
  /** Two words. */
  phrases: readonly string[]
  /** Five words. */
  openings: readonly string[]
  /** Three sentences of eighteen. */
  paragraphs: readonly string[]
}

const stocks = new Map<Language, Stock>()

/** Made once: drawing every word of every page would cost more than all the rest of it. */
function stockOf(language: Language): Stock {
  let stock = stocks.get(language)
  if (stock === undefined) {
    const words = WORDS[language].replaceAll('’', "'").split(' ')
    const draws = new Draws(0x5eed ^ language.charCodeAt(0) ^ (language.charCodeAt(1) << 8))
    const some = (count: number, length: number) => Array.from({ length: count }, () => compose(words, draws, length))
    const paragraphs = Array.from({ length: 96 }, () => some(3, 18).join(' '))
    stock = { words, phrases: some(512, 2), openings: some(1024, 5), paragraphs }
    stocks.set(language, stock)
  }
  return stock
}

function compose(words: readonly string[], draws: Draws, length: number): string {
  let text = words[draws.below(words.length)]
  for (let i = 1; i < length; i++) text += ` ${words[draws.below(words.length)]}`
  return text.charAt(0).toUpperCase() + text.slice(1) + '.'
}

/** A sentence of its own. */
export function sentence(language: Language, draws: Draws, length: number): string {
  return compose(stockOf(language).words, draws, length)
}

/** Text as a chain of words makes it, each drawn from the few that may follow the last: it reads like language and says nothing. */
export function babble(language: Language, draws: Draws, length: number): string {
  const { words } = stockOf(language)
  let at = draws.below(words.length)
  let text = words[at].charAt(0).toUpperCase() + words[at].slice(1)
  for (let i = 1; i < length; i++) {
    at = (Math.imul(at + 1, 2654435761) >>> 7) + draws.below(FOLLOWERS) * 31
    at %= words.length
    text += ` ${words[at]}`
  }
  return text + '.'
}

/** Words that may follow a word. */
const FOLLOWERS = 6

export function phrase(language: Language, draws: Draws): string {
  const { phrases } = stockOf(language)
  return phrases[draws.below(phrases.length)]
}

/** One of 100,000. */
export function paragraph(language: Language, draws: Draws): string {
  const { openings, paragraphs } = stockOf(language)
  return openings[draws.below(openings.length)] + ' ' + paragraphs[draws.below(paragraphs.length)]
}

/** The charsets in which pages of a language are found, the usual one first. */
export const CHARSETS: Record<Language, readonly Charset[]> = {
  en: ['utf-8', 'iso-8859-1', 'utf-8', 'utf-16le'],
  pt: ['utf-8', 'iso-8859-1'],
  de: ['utf-8', 'iso-8859-1'],
  el: ['utf-8', 'iso-8859-7'],
  ru: ['utf-8', 'windows-1251', 'koi8-r'],
  fr: ['utf-8', 'iso-8859-1'],
}

/** A word with letters of the language, for names of pages. */
export const ODD_NAME: Record<Language, string> = {
  en: 'caf\u00e9',
  pt: 'p\u00e1gina',
  de: 'stra\u00dfe',
  el: '\u03c3\u03b5\u03bb\u03af\u03b4\u03b1',
  ru: '\u0441\u0442\u0440\u0430\u043d\u0438\u0446\u0430',
  fr: '\u00e9t\u00e9',
}
