/** The commands of operators: pause, resume, stop, bar. They work while a crawl runs, and without one. */
import { hostname, userInfo } from 'node:os'
import type { Action } from '../../../contracts/control.ts'
import type { Answer, Command, Invocation } from '../command.ts'
import { plain } from '../text.ts'

const EVERYWHERE =
  'This takes effect within seconds while a crawl, a refresh or a server is running, on workers on other machines too; otherwise at the next start. It survives restarts, and the audit log records who did it, when and why.'

export const pause: Command = {
  name: 'pause',
  usage: '[SITE]',
  what: 'pause a crawl, or one site of it, until it is resumed',
  more: `Ends the visits under way; what is being fetched is kept. No more requests are made until 'orbweaver resume'. ${EVERYWHERE}`,
  examples: {
    'orbweaver pause --reason "power cut at noon"': 'Pause the crawl of ./collection.',
    'orbweaver pause www.example.org': 'Pause one site; the others go on.',
  },
  run: (call) => act(call, 'pause'),
}

export const resume: Command = {
  name: 'resume',
  usage: '[SITE]',
  what: 'resume a crawl, or one site of it, that was paused or barred',
  more: `Undoes 'orbweaver pause' and 'orbweaver bar'. Sites are visited as their pauses allow. ${EVERYWHERE}`,
  examples: {
    'orbweaver resume': 'Go on with the crawl of ./collection.',
    'orbweaver resume www.example.org': 'Visit the site again.',
  },
  run: (call) => act(call, 'resume'),
}

export const stop: Command = {
  name: 'stop',
  usage: '',
  what: 'stop a running crawl, as Ctrl-C does',
  more: 'Finishes what is being fetched, checks in and closes all volumes. With a shared database, all its servers and crawls stop; workers wait for the next one. The stopped command ends with exit code 11; the same command resumes the crawl.',
  examples: {
    'orbweaver stop': 'Stop the crawl of ./collection.',
    'orbweaver stop -c news --json': 'Stop the crawl of ./news; the JSON says whether one was running.',
  },
  run: (call) => perform(call, { action: 'stop' }),
}

export const bar: Command = {
  name: 'bar',
  usage: 'SITE',
  what: 'never visit a site again, for instance because its webmaster asked for that',
  more: `The site counts as finished, and what was collected of it stays. explain shows the reason. Only 'orbweaver resume SITE' brings it back; seeds and links do not. A site can be barred before it is found. ${EVERYWHERE}`,
  examples: {
    'orbweaver bar www.example.org --reason "webmaster asked, ticket 17"': 'Leave the site alone.',
    'orbweaver bar http://www.example.org/page -c news': 'The same, by any URL of the site.',
  },
  run: (call) => act(call, 'bar'),
}

function act(call: Invocation, name: 'pause' | 'resume' | 'bar'): Promise<Answer> {
  const [site] = call.args
  const { reason } = call.settings
  const why = reason === undefined ? {} : { reason }
  if (name === 'resume')
    return perform(call, site === undefined ? { action: 'resume' } : { action: 'resume-site', site })
  if (site === undefined) return perform(call, { action: 'pause', ...why })
  return perform(call, { action: name === 'bar' ? 'bar-site' : 'pause-site', site, ...why })
}

async function perform({ settings, services, version }: Invocation, action: Action): Promise<Answer> {
  const who = `${userInfo().username}@${hostname()}`
  const { now, isChanged, running } = await services.performAction(settings, { who, action, version })
  const text = isChanged ? plain(now) : `${plain(now)} Nothing changed.`
  return { json: { action: action.action, isChanged, running, now }, text: settings.quiet ? [] : [text] }
}
