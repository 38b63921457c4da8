/** Where the extension `citus` is there, tables are spread over its nodes by a column of theirs; elsewhere nothing happens. */

/** SQL for the end of a migration. Tables spread by columns of one type lie together, bucket by bucket. */
export function distribute(tables: readonly string[], column: 'bucket' | 'shard'): string {
  const calls = tables.map((table) => `    PERFORM create_distributed_table('${table}', '${column}');`)
  return `
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
${calls.join('\n')}
  END IF;
END
$$;
`
}
