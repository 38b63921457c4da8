import { EXIT } from '../../../base/errors.ts'
import { settingsDocument, settingsOfCommand } from '../../config/describe.ts'
import { place } from '../../config/given.ts'
import { keyOf, type SettingName, settingOf } from '../../config/keys.ts'
import type { Command, Invocation } from '../command.ts'

const HIDDEN = '(secret)'

export const config: Command = {
  name: 'config',
  usage: '',
  what: 'show every setting and who set it',
  more: 'Shows what a crawl with the same flags, environment and collection would use: each value, and whether it is the default, comes from a preset, from orbweaver.yaml, from the environment or from a flag. It starts nothing and checks everything.',
  examples: [
    { line: 'orbweaver config', does: 'For ./collection.' },
    { line: 'orbweaver config -c news --limits vn --pause 5s', does: 'What these flags would do.' },
    { line: 'ORBWEAVER_PAUSE=10s orbweaver config --json', does: 'As JSON.' },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const names = settingsOfCommand('config').filter((name) => settingOf(name).group !== 'This command')
    if (call.settings.markdown) await call.screen.write(settingsDocument())
    else if (call.settings.json) {
      const table = Object.fromEntries(
        names.map((name) => [keyOf(name), { value: shown(call, name), by: who(call, name) }]),
      )
      call.screen.print(JSON.stringify(table, undefined, 2))
    } else {
      const longest = Math.max(...names.map((name) => keyOf(name).length))
      for (const name of names)
        call.screen.print(`${keyOf(name).padEnd(longest)}  ${text(call, name)}  (${who(call, name)})`)
    }
    return EXIT.done
  },
}

function who(call: Invocation, name: SettingName): string {
  const given = call.given.get(name)
  return given === undefined ? 'default' : place(name, given.source)
}

function shown(call: Invocation, name: SettingName): unknown {
  const value = call.settings[name] ?? null
  return settingOf(name).secret && value !== null ? HIDDEN : value
}

function text(call: Invocation, name: SettingName): string {
  const given = call.given.get(name)
  if (given !== undefined && settingOf(name).secret) return HIDDEN
  if (name === 'links') return call.settings.links
  if (given !== undefined) return given.texts.join(' ')
  return settingOf(name).form === '' ? 'no' : settingOf(name).fallbackText
}
