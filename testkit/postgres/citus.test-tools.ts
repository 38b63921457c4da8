/**
 * Tests on a Citus cluster: its coordinator is the server of the tests, with the extension and the workers registered in the
 * server's own database. A test's database is one of the same name on every node, and copies of a template on all of them
 * are a cluster as the template's was. On plain PostgreSQL there is one node, and nothing else to do.
 */
import type { Connection } from '../../src/database/postgres/connection.ts'

export interface Nodes {
  /** On all nodes at once, outside any transaction. */
  everywhere(sql: string): Promise<void>
  /** Empty databases of this name, which are everywhere, become a cluster. */
  join(database: string): Promise<void>
  /** A database of which copies are made: that can be done only while nobody is in it, and Citus' daemon always is. */
  leaveAlone(database: string): Promise<void>
  end(): Promise<void>
}

interface Node {
  readonly host: string
  readonly port: number
}

export async function nodesOf(
  coordinator: Connection,
  addressOf: (database: string, node?: Node) => string,
  open: (address: string) => Promise<Connection>,
): Promise<Nodes> {
  const [first, ...others] = await readNodes(coordinator)
  const workers = await Promise.all(others.map((node) => open(addressOf('postgres', node))))
  const all = [coordinator, ...workers]
  const onEach = async (ask: (node: Connection) => Promise<unknown>) => {
    await Promise.all(all.map(ask))
  }
  return {
    everywhere: (sql) => onEach((node) => node.query(sql)),
    async join(database) {
      if (first === undefined) return
      for (const node of [...others, first]) {
        const connection = await open(addressOf(database, node))
        await connection.query('CREATE EXTENSION citus')
        if (node === first) {
          await connection.query('SELECT citus_set_coordinator_host($1, $2)', [first.host, String(first.port)])
          for (const { host, port } of others)
            await connection.query('SELECT citus_add_node($1, $2)', [host, String(port)])
        }
        await connection.end()
      }
    },
    async leaveAlone(database) {
      if (first === undefined) return
      await onEach((node) => node.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`))
      await onEach((node) =>
        node.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [database]),
      )
    },
    end: () => onEach((node) => node.end()),
  }
}

/** The coordinator first; none, where it is plain PostgreSQL. */
async function readNodes(coordinator: Connection): Promise<Node[]> {
  const { rows } = await coordinator.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)
  if (rows.length === 0) return []
  const nodes = await coordinator.query(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid`,
  )
  return nodes.rows as Node[]
}
