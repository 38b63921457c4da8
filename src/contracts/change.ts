/** How much of a page changed between two looks, as Fetterly et al. (2003) class it, and where. */

/**
 * In order: the mark-up only; only regions that change at every look, or that the operator ignores; and of the text, by the shingles
 * that both looks have: [70, 100) % small, [30, 70) medium, (0, 30) large, 0 complete. `binary`: there is no text to compare.
 */
export const CHANGE_CLASSES = ['markup', 'volatile', 'small', 'medium', 'large', 'complete', 'binary'] as const
export type ChangeClass = (typeof CHANGE_CLASSES)[number]

export interface Change {
  class: ChangeClass
  /** Where, for people: `body > div#main > p, and 2 more`. At most 200 characters. */
  place?: string
}

export const LONGEST_PLACE = 200

/** The classes that an operator may call a change; `markup`: whatever the bytes. */
export const COUNTED_CLASSES = ['markup', 'volatile', 'small', 'medium', 'large', 'complete'] as const
export type CountedClass = (typeof COUNTED_CLASSES)[number]

/** Whether this is a change when everything from `least` on counts as one. */
export function counts(change: ChangeClass, least: CountedClass): boolean {
  return CHANGE_CLASSES.indexOf(change) >= CHANGE_CLASSES.indexOf(least)
}

/** For values from outside. */
export const isChangeClass = (word: string): word is ChangeClass => (CHANGE_CLASSES as readonly string[]).includes(word)
