/** Servers, workers and what they hold; the inbox; volumes and the disk; the calls of one worker (W2, W3, W12). */
import type { Instant } from '../../base/clock.ts'
import type { ThisComputer } from '../../base/computer.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { LoggedCall } from '../../cluster/server/call-log.ts'
import type { WorkerRow } from '../../cluster/server/worker-table.ts'
import type { Computer } from '../../cluster/wire/calls.ts'
import { grouped } from '../../report/text-table.ts'
import { type Html, href, html, visible } from '../html.ts'
import { actionButton, framed, notice } from '../layout.ts'
import type { PageAnswer, PageRequest, Render } from '../page.ts'

/** As `app/reader/cluster.ts` reads it. */
export interface ClusterData {
  cluster(ask: { skip: number; atMost: number }): Promise<ClusterFacts>
  callsOf(worker: string, atMost: number, before?: { at: Instant; id: number }): Promise<LoggedCall[]>
}

export interface ClusterFacts {
  servers: readonly { url: string; version: string; seenMs: number; alive: boolean; computer: ThisComputer | null }[]
  differing: readonly string[]
  workers: readonly WorkerFacts[]
  /** Of all workers, not only of those shown. */
  sums: { alive: number; silent: number; pagesPerSecond: number; leases: number }
  /** There are more workers than these. */
  more: boolean
  /** Of this machine's own process: a crawl without servers has no other workers. */
  threads: readonly { name: string; leases: number }[]
  inbox: { waiting: number; quarantined: number; oldestAt: Instant | undefined }
  /** `archive/` of this folder, `server ID`, `dir:/PATH` or `s3://…`. */
  places: readonly { place: string; volumes: number; bytes: number; open: number }[]
  /** That shows this page. */
  machine: ThisComputer
}

export type WorkerFacts = Omit<WorkerRow, 'state' | 'registeredAt' | 'seenAt'> & {
  state: 'alive' | 'slow' | 'silent' | 'left' | 'barred'
  leases: number
  seenMs: number
}

const WORKERS_PER_PAGE = 50
const CALLS_PER_PAGE = 100
const LAST_PAGE = 10_000

export const cluster: Render<ClusterData> = async (request, data) => {
  const worker = request.query.get('worker')
  if (worker !== null) return callsPage(request, data, worker)
  const nth = Math.min(LAST_PAGE, Math.max(0, Math.floor(Number(request.query.get('page')) || 0)))
  const facts = await data.cluster({ skip: nth * WORKERS_PER_PAGE, atMost: WORKERS_PER_PAGE })
  const body = html`<div id="cluster" data-live>
${summary(request, facts)}
${facts.servers.length > 0 && serversTable(facts)}
${workersSection(request, facts, nth)}
${volumes(facts)}
${disks(facts)}
</div>`
  return framed(request, { title: 'Cluster', under: '/cluster', body })
}

const duration = (ms: number) => formatDuration(ms < 1000 ? ms : Math.round(ms / 1000) * 1000)
const scrolled = (label: string, table: Html) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div>`

function summary({ live }: PageRequest, { servers, workers, sums, threads, inbox }: ClusterFacts): Html {
  const { alive, silent, pagesPerSecond, leases } = sums
  const lagMs = inbox.oldestAt === undefined ? undefined : Math.max(0, live.now - inbox.oldestAt)
  const figure = (label: string, value: Html | string, more?: string) =>
    html`<div><dt>${label}</dt><dd>${value}${more && html`<small>${more}</small>`}</dd></div>`
  return html`<dl class="figures">
${servers.length > 0 && figure('servers', `${servers.filter(({ alive }) => alive).length}`, `of ${grouped(servers.length)} seen in a day`)}
${servers.length + workers.length > 0 ? figure('workers alive', grouped(alive), `${pagesPerSecond.toFixed(1)} pages/s${silent > 0 ? `; ${grouped(silent)} silent` : ''}`) : figure('threads', grouped(threads.length), 'in this process; no other workers')}
${figure('sites leased', grouped(leases))}
${figure('inbox', grouped(inbox.waiting), inbox.quarantined > 0 ? `report parts; ${grouped(inbox.quarantined)} quarantined` : 'report parts to apply')}
${figure('lag', lagMs === undefined ? 'none' : duration(lagMs), 'age of the oldest part in the inbox')}
${figure('event loop', duration(live.lateMs), 'late; pauses and leases depend on it')}
</dl>`
}

function serversTable({ servers, differing }: ClusterFacts): Html {
  const rows = servers.map(
    ({ url, version, seenMs, alive, computer }) =>
      html`<tr><th scope="row">${visible(url, 100)}</th><td>${badge(alive ? 'alive' : 'silent')}</td><td>${visible(version, 40)}</td><td class="n">${duration(seenMs)} ago</td><td>${computer === null ? NOT_TOLD : html`<small>${machineText(computer)}</small>`}</td></tr>`,
  )
  return html`<section><h2>Servers</h2>${scrolled('Servers', html`<table><thead><tr><th scope="col">Address</th><th scope="col">State</th><th scope="col">Version</th><th scope="col" class="n">Seen</th><th scope="col">Computer</th></tr></thead><tbody>${rows}</tbody></table>`)}
${differing.length > 0 && html`<p class="message wrong">Their settings differ in ${visible(differing.join(', '))}, so the crawl depends on which server a worker uses: start all of them with the same settings.</p>`}</section>`
}

const BADGES: Readonly<Record<WorkerFacts['state'], string>> = {
  alive: '',
  slow: 'warn',
  silent: 'bad',
  left: 'paused',
  barred: 'bad',
}
const badge = (state: WorkerFacts['state']) => html`<span class="state ${BADGES[state]}">${state}</span>`

function workersSection(request: PageRequest, { workers, threads, more }: ClusterFacts, nth: number): Html {
  if (workers.length === 0 && nth === 0) {
    if (threads.length === 0)
      return html`<section><h2>Workers</h2><p>No worker has joined, and no thread holds a site now.</p></section>`
    const rows = threads.map(
      ({ name, leases }) =>
        html`<tr><th scope="row">${visible(name, 60)}</th><td class="n">${grouped(leases)}</td></tr>`,
    )
    return html`<section><h2>Threads of this process</h2>${scrolled('Threads', html`<table><thead><tr><th scope="col">Thread</th><th scope="col" class="n">Sites leased</th></tr></thead><tbody>${rows}</tbody></table>`)}</section>`
  }
  const page = (to: number, label: string) =>
    html`<a href="${href(request.base, '/cluster', { page: to })}">${label}</a>`
  return html`<section><h2>Workers</h2>${scrolled(
    'Workers',
    html`<table><thead><tr><th scope="col">Worker</th><th scope="col">State</th><th scope="col" class="n">Pages/s</th><th scope="col" class="n">Visits</th><th scope="col" class="n">Leases</th><th scope="col" class="n">Late</th><th scope="col" class="n">Clock</th><th scope="col" class="n">Seen</th><th scope="col">Computer</th><th scope="col">Calls</th></tr></thead><tbody>${workers.map((worker) => workerRow(request, worker))}</tbody></table>`,
  )}
<p class="soft">Slow: its event loop is over a second late, so its pauses are longer than needed. Silent: no news for a minute; it may be dead, and its sites go to others when their leases expire, or now, with the button, if its process has ended. Clock: the servers’ time minus that of its machine, which Orbweaver allows for.</p>
${(nth > 0 || more) && html`<p class="pages">${nth > 0 && page(nth - 1, 'Newer')}${more && page(nth + 1, 'Older')}</p>`}</section>`
}

function workerRow(request: PageRequest, worker: WorkerFacts): Html {
  const { id, name, region, version, state, visits, leases, pagesPerSecond, lateMs, seenMs, clockOffsetMs } = worker
  const free = actionButton(request, { action: 'free-worker', worker: id }, 'Free its sites', {
    confirm: `Only if its process has ended: one that is merely cut off visits its sites until its leases expire, and then two workers ask one site. What ${name} holds counts as lost, and its ${grouped(leases)} sites are handed out again. Reports that it still sends about them are refused.`,
    kind: 'danger',
  })
  return html`<tr><th scope="row">${visible(name, 60)} <small>${id.slice(0, 8)}</small><br><small>${visible(version, 40)}${region !== null && html` · ${visible(region, 60)}`}</small></th>
<td>${badge(state)}${leases > 0 && state !== 'alive' && state !== 'slow' && free}</td>
<td class="n">${pagesPerSecond.toFixed(1)}</td><td class="n">${grouped(visits)}</td><td class="n">${grouped(leases)}</td><td class="n">${duration(lateMs)}</td>
<td class="n">${clockOffsetMs === null ? '–' : signed(clockOffsetMs)}</td><td class="n">${duration(seenMs)} ago</td><td>${computerText(worker.computer)}</td>
<td><a href="${href(request.base, '/cluster', { worker: id })}" aria-label="Calls of ${name}">calls</a></td></tr>`
}

const signed = (ms: number) => `${ms < 0 ? '−' : '+'}${duration(Math.abs(Math.round(ms)))}`
const speed = (bytes: number) => `${formatSize(Math.round(bytes))}/s`

const NOT_TOLD = html`<span class="soft">not told</span>`

function computerText(computer: Computer | null): Html {
  if (computer === null) return NOT_TOLD
  const { fastestBytesPerSecond, bytesPerSecond } = computer
  return html`<small>${machineText(computer)}<br>receives ${speed(bytesPerSecond)}, at most ${speed(fastestBytesPerSecond)} so far</small>`
}

function machineText({ cpus, cpuModel, load, memoryBytes, freeMemoryBytes, freeDiskBytes }: ThisComputer): Html {
  return html`${cpus} × ${visible(cpuModel || 'CPU', 60)}, load ${load.toFixed(1)}<br>memory ${formatSize(freeMemoryBytes)} free of ${formatSize(memoryBytes)}; disk ${formatSize(freeDiskBytes)} free`
}

/** VN's Table 5: a volume's disk, by number of crawling processes. */
const VN_DISK: readonly (readonly string[])[] = [
  ['VN, 1 process', '0.5', '0.2', '36.2', '17.2'],
  ['VN, 10 processes', '22.6', '10.9', '410.4', '409.4'],
  ['VN, 20 processes', '39.7', '49.7', '811.2', '667.7'],
  ['VN, 30 processes', '48.0', '92.9', '1,299.8', '821.3'],
]

function volumes({ places }: ClusterFacts): Html {
  const rows = places.map(
    ({ place, volumes, bytes, open }) =>
      html`<tr><th scope="row">${visible(place, 100)}</th><td class="n">${grouped(volumes)}</td><td class="n">${grouped(open)}</td><td class="n">${formatSize(bytes)}</td></tr>`,
  )
  return html`<section><h2>Volumes</h2>${rows.length === 0 ? html`<p>None yet.</p>` : scrolled('Volumes', html`<table><thead><tr><th scope="col">Place</th><th scope="col" class="n">Volumes</th><th scope="col" class="n">Being written</th><th scope="col" class="n">Bytes</th></tr></thead><tbody>${rows}</tbody></table>`)}</section>`
}

/** Of every server and worker, as they last reported; without any, of this machine. */
function disks({ servers, workers, machine }: ClusterFacts): Html {
  const told = [
    ...servers.filter(({ alive }) => alive).map(({ url, computer }) => ({ name: url, computer })),
    ...workers
      .filter(({ state }) => state === 'alive' || state === 'slow')
      .map(({ name, id, computer }) => ({ name: `${name} ${id.slice(0, 8)}`, computer })),
  ]
  const isAlone = servers.length + workers.length === 0
  const all = isAlone ? [{ name: 'This machine', computer: machine }] : told
  const rows = all.flatMap(({ name, computer }) => (computer === null ? [] : [diskRow(name, computer)]))
  const older = VN_DISK.map(
    ([name, ...cells]) =>
      html`<tr class="soft"><th scope="row">${name}</th><td></td>${cells.map((cell) => html`<td class="n">${cell}</td>`)}<td></td></tr>`,
  )
  return html`<section><h2>Disks of volumes, as in VN’s Table 5</h2>${isAlone && html`<p>This machine: ${machineText(machine)}</p>`}${scrolled('Disks', html`<table><thead><tr><th scope="col">Machine</th><th scope="col" class="n">Free</th><th scope="col" class="n">Writes/s</th><th scope="col" class="n">Queue</th><th scope="col" class="n">Wait (ms)</th><th scope="col" class="n">Sectors written/s</th><th scope="col">Over</th></tr></thead><tbody>${rows}${older}</tbody></table>`)}${!isAlone && html`<p class="soft">As each reported it in the last seconds. A machine that does not count the requests of its disk has its free space only.</p>`}</section>`
}

function diskRow(name: string, { freeDiskBytes, disk }: ThisComputer): Html {
  const figures =
    disk === undefined
      ? ['–', '–', '–', '–']
      : [disk.writesPerSecond, disk.queue, disk.waitMs, disk.sectorsPerSecond].map((one) =>
          one === undefined ? '–' : oneDecimal.format(one),
        )
  const over =
    disk === undefined ? 'not counted' : disk.ms > SINCE_START_MS ? 'since its start' : `the last ${duration(disk.ms)}`
  return html`<tr><th scope="row">${visible(name, 100)}</th><td class="n">${formatSize(freeDiskBytes)}</td>${figures.map((figure) => html`<td class="n">${figure}</td>`)}<td>${over}</td></tr>`
}

const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** Longer than people leave a page before they look again. */
const SINCE_START_MS = 600_000

async function callsPage(request: PageRequest, data: ClusterData, worker: string): Promise<PageAnswer> {
  if (!/^[0-9a-f]{16}$/.test(worker)) return notice(request, 404, 'Not found', 'No worker has such an id.')
  const [at, id] = (request.query.get('before') ?? '').split('.').map(Number)
  const before = Number.isSafeInteger(at) && Number.isSafeInteger(id) ? { at, id } : undefined
  const calls = await data.callsOf(worker, CALLS_PER_PAGE + 1, before)
  const shown = calls.slice(0, CALLS_PER_PAGE)
  const last = shown.at(-1)
  const rows = shown.map((call) => {
    const time = new Date(call.at).toISOString()
    return html`<tr><th scope="row"><time datetime="${time}">${time.slice(0, 23).replace('T', ' ')}</time></th><td>${visible(call.call, 40)}</td><td>${visible(call.result, 60)}</td><td class="n">${grouped(call.items)}</td><td class="n">${formatSize(call.bytes)}</td><td class="n">${duration(call.tookMs)}</td><td>${call.visit != null && visible(call.visit, 60)}</td></tr>`
  })
  const older = calls.length > shown.length && last !== undefined
  const body = html`<p><a href="${href(request.base, '/cluster')}">All servers and workers</a></p>
<section><h2>Calls, latest first</h2>${rows.length === 0 ? html`<p>None are kept. Calls are kept for as long as <code>--keep-calls</code> says.</p>` : scrolled('Calls', html`<table><thead><tr><th scope="col">Time</th><th scope="col">Call</th><th scope="col">Result</th><th scope="col" class="n">Items</th><th scope="col" class="n">Sent</th><th scope="col" class="n">Took</th><th scope="col">Visit</th></tr></thead><tbody>${rows}</tbody></table>`)}
${(before || older) && html`<p class="pages">${before && html`<a href="${href(request.base, '/cluster', { worker })}">Latest</a>`}${older && html`<a href="${href(request.base, '/cluster', { worker, before: `${last.at}.${last.id}` })}">Older</a>`}</p>`}</section>`
  return framed(request, { title: `Worker ${worker.slice(0, 8)}`, under: '/cluster', body })
}
