/** Embedded has one bucket; the column is there so that both databases have one shape. */
export const BUCKET = 0
