/** Help texts and the page of all settings, printed from the commands and from the table of settings, so that they stay correct. */
import { flagOf, keyOf, SETTING_NAMES, type SettingName, settingOf, variableOf } from '../config/keys.ts'
import { type CommandName, GROUPS } from '../config/setting.ts'
import type { Command } from './command.ts'
import { wrap } from './text.ts'

export function generalHelp(commands: readonly Command[], version: string, width: number): string {
  const longest = Math.max(...commands.map((c) => c.name.length))
  const what = (command: Command) => {
    const [first, ...more] = indented(command.what, longest + 4, width)
    return [`  ${command.name.padEnd(longest)}  ${first.trimStart()}`, ...more]
  }
  const intro = `Orbweaver ${version} politely collects a part of the web and stores it in web-archive formats.`
  return [
    wrap(intro, width).join('\n'),
    'Usage: orbweaver COMMAND [ARGUMENTS] [FLAGS]',
    ['Commands:', ...commands.flatMap(what)].join('\n'),
    [
      'Examples:',
      '  orbweaver demo',
      ...shellLines('orbweaver crawl https://www.example.org/ --contact https://example.org/crawler', width),
      '  orbweaver status',
    ].join('\n'),
    "'orbweaver COMMAND --help' explains a command. 'orbweaver --version' prints\nthe version.",
  ].join('\n\n')
}

export function commandHelp(command: Command, width: number): string {
  const examples = Object.entries(command.examples).flatMap(([line, does]) => [
    ...shellLines(line, width),
    ...indented(does, 6, width),
  ])
  return [
    `Usage: ${usageOf(command)} [FLAGS]`,
    ...command.more.split('\n').map((paragraph) => wrap(paragraph, width).join('\n')),
    ['Examples:', ...examples].join('\n'),
    describeFlags(command.name, width),
  ].join('\n\n')
}

export const usageOf = ({ name, usage }: Command) => `orbweaver ${name}${usage === '' ? '' : ` ${usage}`}`

/** The flags of a command in groups, its own first. */
export function describeFlags(command: CommandName, width: number): string {
  const blocks: string[] = []
  for (const group of new Set(['This command' as const, ...GROUPS])) {
    const names = settingsOfCommand(command).filter((name) => settingOf(name).group === group)
    if (names.length === 0) continue
    const title = group === 'This command' ? `Flags of ${command}` : group
    blocks.push([`${title}:`, ...names.flatMap((name) => flagLines(name, width))].join('\n'))
  }
  return blocks.join('\n\n')
}

function flagLines(name: SettingName, width: number): string[] {
  const setting = settingOf(name)
  const short = setting.short === undefined ? '' : `-${setting.short}, `
  const form = setting.form === '' ? '' : ` ${setting.form}`
  const times = setting.repeatable ? ' (repeatable)' : ''
  const hasDefault = setting.form !== '' && setting.fallbackText !== 'none'
  const byDefault = hasDefault ? ` Default: ${setting.fallbackText}.` : ''
  return [`  ${short}${flagOf(name)}${form}${times}`, ...indented(setting.what + byDefault, 6, width)]
}

function indented(text: string, columns: number, width: number): string[] {
  return wrap(text, Math.max(30, width - columns)).map((line) => ' '.repeat(columns) + line)
}

/** A command that can be copied as it stands: a long one continues on the next line after a backslash. */
function shellLines(command: string, width: number): string[] {
  const [first, ...more] = wrap(command, Math.max(30, width - 8))
  const lines = [`  ${first}`, ...more.map((line) => `      ${line}`)]
  return lines.map((line, i) => (i < lines.length - 1 ? `${line} \\` : line))
}

export function settingsOfCommand(command: CommandName): SettingName[] {
  return SETTING_NAMES.filter((name) => settingOf(name).commands.includes(command))
}

/** `docs/reference/settings.md`. */
export function settingsDocument(): string {
  const parts = [
    '# Settings',
    '<!-- Printed from src/app/config/keys.ts by `npm start --silent -- config --markdown`; a test compares. Do not edit. -->',
    [
      'A setting `max-pages` is the flag `--max-pages`, the line `max-pages: …` of `orbweaver.yaml` and the variable',
      '`ORBWEAVER_MAX_PAGES`. The order of precedence is default < `--limits` preset < file < environment < flag.',
      'A repeatable setting is a list in the file; in the environment its values are separated by white space.',
      'A list replaces the lists of lower precedence (only `max-bytes` is merged, type by type).',
      'An unknown key, flag or variable is an error that suggests the nearest known one.',
      '`orbweaver config` shows every value and its source.',
    ].join('\n'),
    [
      'Durations: `500ms`, `2s`, `10m`, `1h30m`, `2d`; a bare number is seconds. Sizes: `500kB`, `2MB`, `1GB`, `64KiB`.',
      'Settings marked · belong to the collection: they are written to its `orbweaver.yaml` when it is created and read when the',
      'crawl is resumed. Settings without a variable are flags only.',
    ].join('\n'),
  ]
  for (const group of GROUPS) {
    const names = SETTING_NAMES.filter((name) => settingOf(name).group === group)
    const title = group === 'This command' ? 'Flags of single commands' : group
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
