/** The commands of operators: pause, resume, stop, bar. They work while a crawl runs, and without one. */
import { hostname, userInfo } from 'node:os'
import type { Action } from '../../../contracts/control.ts'
import type { Answer, Command, Invocation } from '../command.ts'
import { plain } from '../text.ts'

const EVERYWHERE =
  'While a crawl, a refresh or a server is running it is in force within seconds, at workers on other machines too; otherwise from the next start on. It is kept over restarts, and written to the audit log with who, when and why.'

export const pause: Command = {
  name: 'pause',
  usage: '[SITE]',
  what: 'pause a crawl, or one site of it, until it is resumed',
  more: `Ends the visits under way; what is being fetched is kept. No request is made until orbweaver resume. ${EVERYWHERE}`,
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
  more: `Undoes orbweaver pause and orbweaver bar. Sites are visited as their pauses allow. ${EVERYWHERE}`,
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
  more: 'Finishes what is being fetched, checks in and closes all volumes. In a shared database all servers and crawls end; workers wait for the next. The command that was stopped ends with exit code 11; given again, it goes on where it stopped.',
  examples: {
    'orbweaver stop': 'Stop the crawl of ./collection.',
    'orbweaver stop -c news --json': 'Stop the crawl of ./news; JSON tells whether one was running.',
  },
  run: (call) => perform(call, { action: 'stop' }),
}

export const bar: Command = {
  name: 'bar',
  usage: 'SITE',
  what: 'never visit a site again, for instance because its webmaster asked for that',
  more: `The site counts as finished, and what was collected of it stays. explain shows the reason. Seeds and links do not bring it back, only orbweaver resume SITE. It may be barred before it is ever found. ${EVERYWHERE}`,
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
  const text = isChanged ? plain(now) : `${plain(now)} It was so already.`
  return { json: { action: action.action, isChanged, running, now }, text: settings.quiet ? undefined : text }
}
