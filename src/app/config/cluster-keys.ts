/** Settings of servers and of workers that reach them over HTTP. A part of the one table, `keys.ts`. */
import * as a from './parsers.ts'
import { type CommandName, many, maybe, one, toggle } from './setting.ts'

const machines = { group: 'Many machines' } as const
const SERVE: readonly CommandName[] = ['serve', 'config']
const WORKER: readonly CommandName[] = ['worker', 'config']
const BOTH: readonly CommandName[] = ['serve', 'worker', 'config']
/** Those that read volumes, wherever they lie. */
const READERS: readonly CommandName[] = ['get', 'verify']
/** Those that put them somewhere. */
const WRITERS: readonly CommandName[] = ['crawl', ...WORKER]
/** Those that meet a store. */
const STORE_USERS: readonly CommandName[] = [...WRITERS, ...READERS, 'clean']

export function clusterSettings(everywhere: readonly CommandName[]) {
  return {
    database: maybe(a.database, {
      ...machines,
      commands: everywhere,
      secret: true,
      form: 'postgres://…|@FILE',
      defaultText: 'collection.db in the collection (SQLite)',
      what: 'The PostgreSQL database of a collection that many machines share; with its password it is better given by ORBWEAVER_DATABASE or by a file.',
    }),
    host: one(a.listenHost, {
      ...machines,
      commands: SERVE,
      form: 'ADDRESS',
      default: '127.0.0.1',
      what: 'The address on which the server listens; 0.0.0.0 for all of the machine.',
    }),
    port: one(a.count({ max: 65_535 }), {
      ...machines,
      commands: SERVE,
      form: 'N',
      default: '8723',
      what: 'The port on which the server listens; 0 takes any that is free.',
    }),
    publicUrl: maybe(a.serverUrl, {
      ...machines,
      commands: SERVE,
      form: 'URL',
      defaultText: 'made from --host and --port; when --host is every address, from the name of the machine',
      what: 'How workers reach this server, when that is through a proxy or another name: it is told to all workers as one of the servers.',
    }),
    certificate: maybe(a.path, {
      ...machines,
      commands: SERVE,
      form: 'FILE',
      what: 'A TLS certificate (PEM, with its chain) for the server; without it, it speaks plain HTTP, and a proxy in front of it should speak TLS. When the file changes, the server shows the new one within seconds.',
    }),
    certificateKey: maybe(a.path, {
      ...machines,
      commands: SERVE,
      form: 'FILE',
      what: 'The private key of --certificate (PEM).',
    }),
    joinSecret: maybe(a.secret, {
      ...machines,
      commands: [...BOTH, ...READERS],
      secret: true,
      form: 'TEXT|@FILE',
      what: 'What a new worker must know to join, and who reads volumes that lie with a server; better given by ORBWEAVER_JOIN_SECRET or by a file. Without it, only those on the same machine may.',
    }),
    untilDone: toggle({
      ...machines,
      commands: ['serve', 'worker'],
      flagOnly: true,
      what: 'End when the crawl is complete; else wait for more to do.',
    }),
    keepCalls: one(a.duration({ min: 60_000, max: 3650 * 86_400_000 }), {
      ...machines,
      commands: [...SERVE, 'clean'],
      form: 'DURATION',
      default: '30d',
      what: "How long the record of the workers' calls is kept.",
    }),
    recheckShare: one(a.share, {
      ...machines,
      commands: SERVE,
      form: 'SHARE',
      default: '0.1%',
      what: 'Share of captures that are asked for again through another worker, to see whether the first brought what the site sends; status says what came of it. 0 for none.',
    }),
    affinity: one(a.duration({ min: 0, max: 60_000 }), {
      ...machines,
      commands: SERVE,
      form: 'DURATION',
      default: '2s',
      what: 'How long a site that could be visited again waits for the worker that had it before, or that is nearest to it; then anybody has it. With PostgreSQL only; 0: it waits for nobody.',
    }),
    server: many(a.serverUrl, {
      ...machines,
      commands: WORKER,
      form: 'URL',
      what: 'A server to work for; with several, another is asked when one does not answer.',
    }),
    serverCa: maybe(a.path, {
      ...machines,
      commands: [...WORKER, ...READERS],
      form: 'FILE',
      defaultText: 'those that the machine trusts',
      what: 'Certificates (PEM) of authorities that vouch for https servers, beside those that the machine trusts: for servers with certificates of an authority of your own.',
    }),
    name: maybe(a.workerName, {
      ...machines,
      commands: WORKER,
      form: 'NAME',
      defaultText: "the machine's name",
      what: 'How the worker is called in status and in the names of its volumes.',
    }),
    region: maybe(a.workerName, {
      ...machines,
      commands: WORKER,
      form: 'NAME',
      what: 'Where the worker stands: workers of one region are near the same sites.',
    }),
    volumes: many(a.volumePlace, {
      ...machines,
      commands: WRITERS,
      lasting: true,
      form: 'upload|keep|dir:PATH|s3://BUCKET/PREFIX',
      defaultText: 'keep; of a worker: upload',
      what: 'What becomes of the volumes: kept in the archive folder, written to another folder, moved to an S3-compatible store, sent to a server as they are written (a worker). With several, the next takes over when one is full or fails.',
    }),
    s3Endpoint: maybe(a.serverUrl, {
      ...machines,
      commands: STORE_USERS,
      form: 'URL',
      defaultText: "Amazon's",
      what: 'Where the S3-compatible store is.',
    }),
    s3Region: one(a.s3Region, {
      ...machines,
      commands: STORE_USERS,
      form: 'NAME',
      default: 'us-east-1',
      what: 'The region of the S3-compatible store.',
    }),
    s3Key: maybe(a.path, {
      ...machines,
      commands: STORE_USERS,
      secret: true,
      form: 'TEXT|@FILE',
      defaultText: 'as the AWS tools find it',
      what: 'The id of the access key of the S3-compatible store; better given by ORBWEAVER_S3_KEY or by a file.',
    }),
    s3Secret: maybe(a.path, {
      ...machines,
      commands: STORE_USERS,
      secret: true,
      form: 'TEXT|@FILE',
      defaultText: 'as the AWS tools find it',
      what: 'The secret of --s3-key; better given by ORBWEAVER_S3_SECRET or by a file.',
    }),
    everywhere: toggle({
      ...machines,
      commands: ['verify'],
      flagOnly: true,
      what: 'Fetch volumes that lie with servers or in a store, and verify them too.',
    }),
  }
}
