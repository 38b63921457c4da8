/** Finds the known name that a mistyped one probably stands for. */

/** The number of edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let min = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) min = Math.min(min, beforeLast[j - 2] + 1)
      row.push(min)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}

/** Undefined when no known name is similar enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const short = word.slice(0, 60)
  let best: string | undefined
  let min = Math.max(2, Math.floor(short.length / 3)) + 1
  for (const candidate of known) {
    // A shortened or extended name takes many edits but is an obvious match.
    const cut = short.length >= 4 && isPartOf(short.replaceAll('-', ''), candidate.replaceAll('-', ''))
    const distance = cut ? 1 : editDistance(short, candidate)
    if (distance < min) {
      min = distance
      best = candidate
    }
  }
  return best
}

/** `; did you mean X?`, or nothing. `show` writes the name as the user would. */
export function didYouMean(word: string, known: readonly string[], show = (name: string) => `'${name}'`): string {
  const near = nearest(word, known)
  return near === undefined ? '' : `; did you mean ${show(near)}?`
}

function isPartOf(word: string, known: string): boolean {
  return known.startsWith(word) || known.endsWith(word) || word.startsWith(known)
}
