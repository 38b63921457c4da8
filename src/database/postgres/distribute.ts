/**
 * Where the extension `citus` is there, tables are spread over its nodes by a column of theirs; elsewhere nothing happens.
 * For the end of a migration: SQL that does nothing on plain PostgreSQL.
 */

/** Tables spread by columns of one type lie together, bucket by bucket. */
export function distribute(tables: readonly string[], column: 'bucket' | 'shard'): string {
  const calls = tables.map((table) => `    PERFORM create_distributed_table('${table}', '${column}');`)
  // Its word for any trigger. Ours change nothing but rows of the same bucket, which lie beside those that changed.
  return onCitus(['    SET LOCAL citus.enable_unsafe_triggers = on;', ...calls].join('\n'))
}

/**
 * Tables that stay where they are, at the coordinator, and are written together with others. A transaction that wrote on one
 * other node ends there first: if the coordinator died then, its own part would be missing. Once Citus knows of a table it
 * prepares both.
 */
export function keepAtCoordinator(tables: readonly string[]): string {
  return onCitus(tables.map((table) => `    PERFORM citus_add_local_table_to_metadata('${table}');`).join('\n'))
}

/** Statements of PL/pgSQL that are done on Citus only. */
export function onCitus(statements: string): string {
  return `
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
${statements}
  END IF;
END
$$;
`
}
