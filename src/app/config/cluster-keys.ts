/** Settings of servers and of the workers that reach them over HTTP. A part of the table in `keys.ts`. */
import * as a from './parsers.ts'
import { COMMAND_NAMES, type CommandName, group, many, maybe, one, toggle } from './setting.ts'

/** Commands that open a collection, here or in a shared database. */
const OPENERS = COMMAND_NAMES.filter((name) => !['demo', 'simulate', 'worker'].includes(name))
const SERVE: readonly CommandName[] = ['serve', 'config']
const WORKER: readonly CommandName[] = ['worker', 'config']
/** Commands that read volumes, wherever they are. */
const READERS: readonly CommandName[] = ['get', 'verify']
/** Commands that write volumes. */
const WRITERS: readonly CommandName[] = ['crawl', ...WORKER]

/** Commands that reach a store of volumes. */
const STORE: readonly CommandName[] = [...WRITERS, ...READERS, 'clean']

export const CLUSTER_SETTINGS = group(
  'Cluster',
  { commands: SERVE },
  {
    database: maybe(a.database, {
      commands: OPENERS,
      secret: true,
      defaultText: 'collection.db in the collection (SQLite)',
      what: 'The PostgreSQL database of a collection that several machines share. If it contains a password, pass it in ORBWEAVER_DATABASE or in a file.',
    }),
    host: one(a.listenHost, '127.0.0.1', {
      what: 'The address the server listens on; 0.0.0.0 for all addresses of the machine.',
    }),
    port: one(a.count({ max: 65_535 }), '8723', { what: 'The port the server listens on; 0 picks a free one.' }),
    publicUrl: maybe(a.serverUrl, {
      defaultText: "from --host and --port; if --host is every address, from the machine's name",
      what: 'The URL at which workers reach this server, if it is behind a proxy or has another name. All workers receive it in their list of servers.',
    }),
    certificate: maybe(a.path, {
      what: 'A TLS certificate for the server (PEM, with its chain). Without it the server speaks plain HTTP and should be behind a TLS proxy. A changed file takes effect within seconds.',
    }),
    certificateKey: maybe(a.path, { what: 'The private key of --certificate (PEM).' }),
    joinSecret: maybe(a.secret, {
      commands: ['serve', ...WORKER, ...READERS],
      secret: true,
      what: 'The secret that lets a new worker join and lets a command read volumes kept by a server. Pass it in ORBWEAVER_JOIN_SECRET or in a file. Without it, only the same machine has access.',
    }),
    untilDone: toggle({
      commands: ['serve', 'worker'],
      flagOnly: true,
      what: 'Exit when the crawl is complete instead of waiting for more work.',
    }),
    keepCalls: one(a.duration({ min: 60_000, max: 3650 * 86_400_000 }), '30d', {
      commands: [...SERVE, 'clean'],
      what: "How long to keep the record of the workers' calls.",
    }),
    recheckShare: one(a.share, '0.1%', {
      what: 'Share of captures to fetch again through another worker, to check what the first one delivered; 0 for none. status shows the results.',
    }),
    affinity: one(a.duration({ min: 0, max: 60_000 }), '2s', {
      what: 'How long a site that is due waits for its previous worker, or for one close to it, before any worker may take it; 0 for no wait. PostgreSQL only.',
    }),
    server: many(a.serverUrl, {
      commands: WORKER,
      what: 'A server to work for. With several, the worker switches to another when one does not answer.',
    }),
    serverCa: maybe(a.path, {
      commands: [...WORKER, ...READERS],
      defaultText: "the machine's trusted authorities",
      what: "Certificates (PEM) of additional authorities to trust for https servers, beside the machine's own.",
    }),
    name: maybe(a.workerName, {
      commands: WORKER,
      defaultText: "the machine's name",
      what: "The worker's name in status and in the names of its volumes.",
    }),
    region: maybe(a.workerName, {
      commands: WORKER,
      what: 'Where the worker is. Workers of one region count as close to the same sites.',
    }),
    volumes: many(a.volumeTarget, {
      commands: WRITERS,
      lasting: true,
      defaultText: 'keep; for a worker: upload',
      what: 'Where volumes go: keep leaves them in the archive folder, dir: writes them to another folder, s3: moves them to an S3-compatible store, upload sends them to a server (workers only). With several, the next one takes over when one is full or fails.',
    }),
    s3Endpoint: maybe(a.serverUrl, {
      commands: STORE,
      defaultText: "Amazon's",
      what: 'The URL of the S3-compatible store.',
    }),
    s3Region: one(a.s3Region, 'us-east-1', { commands: STORE, what: 'The region of the S3-compatible store.' }),
    s3Key: maybe(a.path, {
      commands: STORE,
      secret: true,
      form: 'TEXT|@FILE',
      defaultText: 'as the AWS tools find it',
      what: 'The access key id for the S3-compatible store. Pass it in ORBWEAVER_S3_KEY or in a file.',
    }),
    s3Secret: maybe(a.path, {
      commands: STORE,
      secret: true,
      form: 'TEXT|@FILE',
      defaultText: 'as the AWS tools find it',
      what: 'The secret of --s3-key. Pass it in ORBWEAVER_S3_SECRET or in a file.',
    }),
    everywhere: toggle({
      commands: ['verify'],
      flagOnly: true,
      what: 'Also fetch and verify volumes that are on servers or in a store.',
    }),
  },
)
