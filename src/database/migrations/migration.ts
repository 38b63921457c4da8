/** One step of the schema. Never edited once released: a change is a new number. */
export interface Migration {
  /** 1, 2, 3 …: what `PRAGMA user_version` says when it has been done. */
  readonly number: number
  readonly name: string
  /** SQLite's dialect. */
  readonly sql: string
}
