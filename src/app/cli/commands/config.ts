import { EXIT } from '../../../base/errors.ts'
import { keyOf, type SettingName, settingOf } from '../../config/keys.ts'
import type { Command, Invocation } from '../command.ts'
import { settingsDocument, settingsOfCommand } from '../help.ts'

const HIDDEN = '(secret)'

export const config: Command = {
  name: 'config',
  usage: '',
  what: 'show every setting and where its value comes from',
  more: 'Shows the settings that a crawl with the same flags, environment and collection would use, each with its source: default, preset, orbweaver.yaml, environment or flag. It checks all of them and starts nothing.',
  examples: {
    'orbweaver config': 'The settings of ./collection.',
    'orbweaver config -c news --limits vn --pause 5s': 'The effect of these flags.',
    'ORBWEAVER_PAUSE=10s orbweaver config --json': 'As JSON.',
  },
  async run(call) {
    const names = settingsOfCommand('config').filter((name) => settingOf(name).group !== 'This command')
    if (call.settings.markdown) {
      await call.screen.write(settingsDocument())
      return EXIT.done
    }
    const longest = Math.max(...names.map((name) => keyOf(name).length))
    return {
      json: Object.fromEntries(
        names.map((name) => [keyOf(name), { value: shownValue(call, name), by: sourceOf(call, name) }]),
      ),
      text: names
        .map((name) => `${keyOf(name).padEnd(longest)}  ${text(call, name)}  (${sourceOf(call, name)})`)
        .join('\n'),
    }
  },
}

function sourceOf(call: Invocation, name: SettingName): string {
  return call.given.get(name)?.source.name ?? 'default'
}

function shownValue(call: Invocation, name: SettingName): unknown {
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
