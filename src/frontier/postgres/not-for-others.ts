/**
 * Of sites of bucket `$1`: those that may go to a party, see `../second-opinion.ts`. Where several wait for others, the first
 * that was brought says for whom: else two workers could wait for each other.
 */
export function notForOthers(party: string, from: string, to: string): string {
  const open = (name: string, until: string) =>
    `${name}.bucket = $1 AND ${name}.site = site.key AND ${name}.comparison IS NULL AND ${name}.first_at BETWEEN ${from} AND ${until}`
  return `NOT EXISTS (
    SELECT FROM recheck r WHERE ${open('r', to)} AND r.first_worker = ${party} AND NOT EXISTS (
      SELECT FROM recheck o WHERE ${open('o', 'r.first_at')} AND o.first_worker <> r.first_worker))`
}
