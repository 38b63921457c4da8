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

/** Their hashes, as `assembly/words.ts` takes them. */
export function dateWords(): number[] {
  return NAMES.trim().split(/\s+/).map(wordHash)
}

/** One bit for each of 16,384 remainders of theirs, and each in the first slot from its remainder on that is free. */
export function placeDateWords(remainders: Int32Array, slots: Int32Array): void {
  for (const hash of dateWords()) {
    remainders[(hash >>> 5) & 511] |= 1 << hash
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = hash
  }
}

export function wordHash(word: string): number {
  let hash = 0
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    hash = (Math.imul(hash, 65599) + (code < 256 ? code | 0x20 : code)) | 0
  }
  return hash
}
