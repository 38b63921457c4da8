import type { PostgresTx } from '../../database/postgres/tx.ts'

/** Ids for that many rows of a bucket; who calls holds its lock. Those that are not used are no harm. */
export async function reserveRows(tx: PostgresTx, bucket: number, rows: number): Promise<RowIds> {
  const sql = 'UPDATE catalogue_row SET last = last + $2 WHERE bucket = $1 RETURNING last'
  const { last } = (await tx.get<{ last: number }>(sql, bucket, rows))!
  return new RowIds(last - rows, last)
}

export class RowIds {
  #given: number
  readonly #last: number

  constructor(before: number, last: number) {
    this.#given = before
    this.#last = last
  }

  next(): number {
    if (this.#given >= this.#last) throw new RangeError('more rows than ids were reserved for')
    return ++this.#given
  }
}
