/**
 * Names of months and days in en, pt, es, de, fr, it: in a page's shape they are numbers. Short ones that are common words
 * (`set`, `out`, `sun`, `mar` …) are left alone when a language would lose more by them than calendars win.
 */
const NAMES = `
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct
nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri
janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro fev abr ago dez
segunda terça terca quarta quinta sexta sábado sabado domingo feira
enero febrero marzo mayo junio julio septiembre setiembre octubre noviembre diciembre ene dic lunes martes miércoles miercoles
jueves viernes
januar februar märz juni juli oktober dezember jänner okt montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
janvier février fevrier mars avril juin juillet août aout septembre octobre novembre décembre decembre janv févr avr juil déc
lundi mardi mercredi jeudi vendredi samedi dimanche
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug ott lunedì martedì mercoledì giovedì
venerdì sabato domenica`

/** As `TextFolder` hashes a word. */
function wordHash(word: string): number {
  let hash = 0
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    hash = (Math.imul(hash, 65599) + (code < 256 ? code | 0x20 : code)) | 0
  }
  return hash
}

const hashes = new Set<number>()
/** One bit for each of 16,384 remainders: nearly every word is told to be none by one look (the set alone took 20 ns a word). */
const remainders = new Int32Array(512)

for (const name of NAMES.trim().split(/\s+/)) {
  const hash = wordHash(name)
  hashes.add(hash)
  remainders[(hash >>> 5) & 511] |= 1 << hash
}

/** 0 when it is surely none, 1 when it may be one. */
export function maybeDateWord(hash: number): number {
  return (remainders[(hash >>> 5) & 511] >>> hash) & 1
}

/** Is this the hash of a month's or a day's name? */
export function isDateWord(hash: number): boolean {
  return maybeDateWord(hash) !== 0 && hashes.has(hash)
}
