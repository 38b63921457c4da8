/** nginx from Debian on loopback, serving a folder under any host name, with an access log that counts bytes both ways. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpacked } from '../hazards/packages.ts'

export interface Logged {
  host: string
  path: string
  status: number
  /** The request line and headers, and the whole answer. */
  requestBytes: number
  answerBytes: number
  /** The request was conditional. */
  conditional: boolean
}

export interface Nginx {
  port: number
  /** What was asked since the last call. */
  log(): Promise<Logged[]>
  stop(): Promise<void>
}

interface Program {
  path: string
  version: string
  mimeTypes: string
}

/** The one that is installed, or else Debian's packages, unpacked. Throws when neither runs. */
export async function findNginx(): Promise<Program> {
  const installed = { path: 'nginx', mimeTypes: '/etc/nginx/mime.types' }
  const version = versionOf(installed.path)
  if (version !== undefined) return { ...installed, version }
  const { root } = await unpacked(['nginx', 'nginx-common'])
  const own = { path: join(root, 'usr/sbin/nginx'), mimeTypes: join(root, 'etc/nginx/mime.types') }
  const ownVersion = versionOf(own.path)
  if (ownVersion === undefined) throw new Error(`${own.path} does not run here`)
  return { ...own, version: ownVersion }
}

function versionOf(path: string): string | undefined {
  const { stderr, status } = spawnSync(path, ['-v'], { encoding: 'utf8' })
  return status === 0 ? /nginx\/(\S+)/.exec(stderr)?.[1] : undefined
}

/** `root`: may contain `$host`. */
export async function startNginx({ path, mimeTypes }: Program, root: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-nginx-'))
  // As root it changes to another user, who must be able to look in.
  chmodSync(folder, 0o755)
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
  const port = await freePort()
  const log = join(folder, 'access.log')
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, mimeTypes, root, port, log))
  const program = spawn(path, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  const ended = once(program, 'exit')
  const url = `http://127.0.0.1:${port}/orbweaver-is-it-there`
  for (
    let tries = 0;
    !(await fetch(url).then(
      () => true,
      () => false,
    ));
    tries++
  ) {
    if (tries > 200 || program.exitCode !== null)
      throw new Error(`nginx does not start: ${readFileSync(join(folder, 'error.log'), 'utf8')}`)
    await sleep(25)
  }
  let read = 0
  const lines = () => {
    const text = readFileSync(log, 'utf8')
    const fresh = text.slice(read)
    read = text.length
    return fresh.split('\n').filter((line) => line !== '')
  }
  lines()
  return {
    port,
    async log() {
      return lines().map((line): Logged => {
        const [host, path, status, requestBytes, answerBytes, tag, since] = line.split('\t')
        return {
          host,
          path,
          status: Number(status),
          requestBytes: Number(requestBytes),
          answerBytes: Number(answerBytes),
          conditional: tag !== '-' || since !== '-',
        }
      })
    },
    async stop() {
      program.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The defaults of Debian's package as far as they concern what is sent: ETag, gzip for HTML, keep-alive. */
function configuration(folder: string, mimeTypes: string, root: string, port: number, log: string): string {
  return `
daemon off;
master_process on;
worker_processes 1;
pid ${folder}/pid;
events { worker_connections 512; }
http {
  include ${mimeTypes};
  default_type application/octet-stream;
  sendfile on;
  gzip on;
  log_format bytes '$host\\t$uri\\t$status\\t$request_length\\t$bytes_sent\\t$http_if_none_match\\t$http_if_modified_since';
  access_log ${log} bytes;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${root};
    index index.html;
  }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
