/** Settings of servers and of the workers that reach them over HTTP. A part of the table in `keys.ts`. */
import * as a from './parsers.ts'
import { COMMAND_NAMES, type CommandName, many, maybe, one, type Setting, toggle } from './setting.ts'

/** Commands that open a collection, here or in a shared database. */
const OPENERS = COMMAND_NAMES.filter((name) => !['demo', 'simulate', 'worker'].includes(name))
const SERVE: readonly CommandName[] = ['serve', 'config']
const WORKER: readonly CommandName[] = ['worker', 'config']
/** Commands that read volumes, wherever they are. */
const READERS: readonly CommandName[] = ['get', 'verify']
/** Commands that write volumes. */
const WRITERS: readonly CommandName[] = ['crawl', ...WORKER]

const cluster = { group: 'Cluster' } as const
const serve = { ...cluster, commands: SERVE } as const
const worker = { ...cluster, commands: WORKER } as const
const store = { ...cluster, commands: [...WRITERS, ...READERS, 'clean'] } as const

export const CLUSTER_SETTINGS = {
  database: maybe(a.database, {
    ...cluster,
    commands: OPENERS,
    secret: true,
    form: 'postgres://…|@FILE',
    defaultText: 'collection.db in the collection (SQLite)',
    what: 'The PostgreSQL database of a collection that several machines share. If it contains a password, pass it in ORBWEAVER_DATABASE or in a file.',
  }),
  host: one(a.listenHost, {
    ...serve,
    form: 'ADDRESS',
    default: '127.0.0.1',
    what: 'The address the server listens on; 0.0.0.0 for all addresses of the machine.',
  }),
  port: one(a.count({ max: 65_535 }), {
    ...serve,
    form: 'N',
    default: '8723',
    what: 'The port the server listens on; 0 picks a free one.',
  }),
  publicUrl: maybe(a.serverUrl, {
    ...serve,
    form: 'URL',
    defaultText: "from --host and --port; if --host is every address, from the machine's name",
    what: 'The URL at which workers reach this server, if it is behind a proxy or has another name. All workers receive it in their list of servers.',
  }),
  certificate: maybe(a.path, {
    ...serve,
    form: 'FILE',
    what: 'A TLS certificate for the server (PEM, with its chain). Without it the server speaks plain HTTP and should be behind a TLS proxy. A changed file takes effect within seconds.',
  }),
  certificateKey: maybe(a.path, { ...serve, form: 'FILE', what: 'The private key of --certificate (PEM).' }),
  joinSecret: maybe(a.secret, {
    ...cluster,
    commands: ['serve', ...WORKER, ...READERS],
    secret: true,
    form: 'TEXT|@FILE',
    what: 'The secret that lets a new worker join and lets a command read volumes kept by a server. Pass it in ORBWEAVER_JOIN_SECRET or in a file. Without it, only the same machine has access.',
  }),
  untilDone: toggle({
    ...cluster,
    commands: ['serve', 'worker'],
    flagOnly: true,
    what: 'Exit when the crawl is complete instead of waiting for more work.',
  }),
  keepCalls: one(a.duration({ min: 60_000, max: 3650 * 86_400_000 }), {
    ...cluster,
    commands: [...SERVE, 'clean'],
    form: 'DURATION',
    default: '30d',
    what: "How long to keep the record of the workers' calls.",
  }),
  recheckShare: one(a.share, {
    ...serve,
    form: 'SHARE',
    default: '0.1%',
    what: 'Share of captures to fetch again through another worker, to check what the first one delivered; 0 for none. status shows the results.',
  }),
  affinity: one(a.duration({ min: 0, max: 60_000 }), {
    ...serve,
    form: 'DURATION',
    default: '2s',
    what: 'How long a site that is due waits for its previous worker, or for one close to it, before any worker may take it; 0 for no wait. PostgreSQL only.',
  }),
  server: many(a.serverUrl, {
    ...worker,
    form: 'URL',
    what: 'A server to work for. With several, the worker switches to another when one does not answer.',
  }),
  serverCa: maybe(a.path, {
    ...cluster,
    commands: [...WORKER, ...READERS],
    form: 'FILE',
    defaultText: "the machine's trusted authorities",
    what: "Certificates (PEM) of additional authorities to trust for https servers, beside the machine's own.",
  }),
  name: maybe(a.workerName, {
    ...worker,
    form: 'NAME',
    defaultText: "the machine's name",
    what: "The worker's name in status and in the names of its volumes.",
  }),
  region: maybe(a.workerName, {
    ...worker,
    form: 'NAME',
    what: 'Where the worker is. Workers of one region count as close to the same sites.',
  }),
  volumes: many(a.volumeTarget, {
    ...cluster,
    commands: WRITERS,
    lasting: true,
    form: 'upload|keep|dir:PATH|s3://BUCKET/PREFIX',
    defaultText: 'keep; for a worker: upload',
    what: 'Where volumes go: keep leaves them in the archive folder, dir: writes them to another folder, s3: moves them to an S3-compatible store, upload sends them to a server (workers only). With several, the next one takes over when one is full or fails.',
  }),
  s3Endpoint: maybe(a.serverUrl, {
    ...store,
    form: 'URL',
    defaultText: "Amazon's",
    what: 'The URL of the S3-compatible store.',
  }),
  s3Region: one(a.s3Region, {
    ...store,
    form: 'NAME',
    default: 'us-east-1',
    what: 'The region of the S3-compatible store.',
  }),
  s3Key: maybe(a.path, {
    ...store,
    secret: true,
    form: 'TEXT|@FILE',
    defaultText: 'as the AWS tools find it',
    what: 'The access key id for the S3-compatible store. Pass it in ORBWEAVER_S3_KEY or in a file.',
  }),
  s3Secret: maybe(a.path, {
    ...store,
    secret: true,
    form: 'TEXT|@FILE',
    defaultText: 'as the AWS tools find it',
    what: 'The secret of --s3-key. Pass it in ORBWEAVER_S3_SECRET or in a file.',
  }),
  everywhere: toggle({
    ...cluster,
    commands: ['verify'],
    flagOnly: true,
    what: 'Also fetch and verify volumes that are on servers or in a store.',
  }),
} as const satisfies Record<string, Setting<unknown>>
