/** SQL that spreads tables over the nodes of a Citus cluster, and does nothing on plain PostgreSQL. */

/** Rows of the same bucket are on the same node, whatever their table. */
export function distribute(tables: readonly string[], column: 'bucket' | 'shard'): string {
  const calls = tables.map((table) => `    PERFORM create_distributed_table('${table}', '${column}');`)
  // Citus calls every trigger unsafe. Ours change only rows of the same bucket, which are on the same node.
  return onCitus(['    SET LOCAL citus.enable_unsafe_triggers = on;', ...calls].join('\n'))
}

/**
 * Tables that stay on the coordinator and are written together with distributed ones. A transaction that wrote to one other
 * node commits there first; if the coordinator crashed then, its own part would be lost. Citus uses two-phase commit once it
 * knows the table.
 */
export function keepAtCoordinator(tables: readonly string[]): string {
  return onCitus(tables.map((table) => `    PERFORM citus_add_local_table_to_metadata('${table}');`).join('\n'))
}

/** Runs PL/pgSQL statements on Citus only. */
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
