/** The figures of a collection, as `report --json` prints them (C10). */
export interface Figures {
  /** Pages kept, duplicates included. */
  documents: number
  bytes: number
  servers: number
  urls: { seen: number; fetched: number; waiting: number }
  links: number
  duplicates: number
  statuses: Readonly<Record<string, number>>
  failures: Readonly<Record<string, number>>
  refused: Readonly<Record<string, number>>
  unwanted: Readonly<Record<string, number>>
  documentsByType: Readonly<Record<string, { count: number; bytes: number; mean: number }>>
  perServer: { mean: number; median: number; max: number }
  ratesByDay: readonly { day: string; documents: number; perMinute: number }[]
  downloadsPerUrl: number
}
