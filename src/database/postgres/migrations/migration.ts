/** One step of PostgreSQL's schema. Never edited once released: a change is a new number. */
export interface PostgresMigration {
  /** 1, 2, 3 …: what table `orbweaver_schema` says when it has been done. */
  readonly number: number
  readonly name: string
  /** Several statements; they run in one transaction. */
  readonly sql: string
}
