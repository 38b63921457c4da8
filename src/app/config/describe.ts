/** Help and `docs/reference/settings.md`, printed from the table, so that they cannot be wrong. */
import { flagOf, keyOf, SETTING_NAMES, type SettingName, settingOf, variableOf } from './keys.ts'
import { type CommandName, GROUPS } from './setting.ts'

/** The flags of a command, in groups, wrapped to the width of the screen. */
export function describeFlags(command: CommandName, width: number): string {
  const blocks: string[] = []
  const order = ['This command', ...GROUPS.filter((group) => group !== 'This command')]
  for (const group of order) {
    const names = SETTING_NAMES.filter((n) => settingOf(n).group === group && settingOf(n).commands.includes(command))
    if (names.length === 0) continue
    const title = group === 'This command' ? 'Of this command' : group
    blocks.push([`${title}:`, ...names.flatMap((name) => flagLines(name, width))].join('\n'))
  }
  return blocks.join('\n\n')
}

const INDENT = 6

function flagLines(name: SettingName, width: number): string[] {
  const setting = settingOf(name)
  const short = setting.short === undefined ? '' : `-${setting.short}, `
  const form = setting.form === '' ? '' : ` ${setting.form}`
  const times = setting.repeatable ? ' (repeatable)' : ''
  const byDefault = setting.form === '' ? '' : ` Default: ${setting.fallbackText}.`
  return [
    `  ${short}${flagOf(name)}${form}${times}`,
    ...wrap(setting.what + byDefault, Math.max(30, width - INDENT)).map((line) => ' '.repeat(INDENT) + line),
  ]
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/** The whole of `docs/reference/settings.md`. */
export function settingsDocument(): string {
  const parts = [
    '# Settings',
    '<!-- Printed from src/app/config/keys.ts by `npm start --silent -- config --markdown`; a test compares. Do not edit. -->',
    [
      'A setting `max-pages` is the flag `--max-pages`, the line `max-pages: …` of `orbweaver.yaml` and the variable',
      '`ORBWEAVER_MAX_PAGES`. Stronger overrides weaker: default < `--limits` preset < file < environment < flag.',
      'A setting that may be repeated is a list in the file, and in the environment its values are parted by white space;',
      'a list given by a stronger one replaces the weaker list (`max-bytes` alone is merged, type by type).',
      'An unknown key, flag or variable is an error that names the nearest known one.',
      '`orbweaver config` shows every value and who set it.',
    ].join('\n'),
    [
      'Durations: `500ms`, `2s`, `10m`, `1h30m`, `2d`; a bare number is seconds. Sizes: `500kB`, `2MB`, `1GB`, `64KiB`.',
      'Settings marked · belong to the collection: they are written to its `orbweaver.yaml` when it is made and read when the',
      'crawl goes on. Those without a variable are flags only.',
    ].join('\n'),
  ]
  for (const group of GROUPS) {
    const names = SETTING_NAMES.filter((name) => settingOf(name).group === group)
    const title = group === 'This command' ? 'Of single commands' : group
    parts.push(
      `## ${title}`,
      ['| setting | value | default | meaning |', '|---|---|---|---|', ...names.map(row)].join('\n'),
    )
  }
  return `${parts.join('\n\n')}\n`
}

function row(name: SettingName): string {
  const setting = settingOf(name)
  const short = setting.short === undefined ? '' : `, \`-${setting.short}\``
  const variable = setting.flagOnly ? '' : `<br>\`${variableOf(name)}\``
  const mark = setting.lasting ? ' ·' : ''
  const form = setting.form === '' ? 'switch' : `\`${setting.form}\`${setting.repeatable ? ', repeatable' : ''}`
  const byDefault = setting.form === '' ? 'off' : setting.fallbackText
  const commands = setting.commands.filter((c) => c !== 'config')
  const taken = setting.group === 'This command' ? ` (${commands.join(', ')})` : ''
  return `| \`${setting.flagOnly ? flagOf(name) : keyOf(name)}\`${short}${mark}${variable} | ${cell(form)} | ${cell(byDefault)} | ${cell(setting.what)}${taken} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*/*', '\\*/\\*')
}

/** Every value of the table that a command takes: shared by `config` and by the documents. */
export function settingsOfCommand(command: CommandName): SettingName[] {
  return SETTING_NAMES.filter((name) => settingOf(name).commands.includes(command))
}
