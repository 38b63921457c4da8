/** Help texts: what a command does, examples first, then its flags from the table of settings. */
import { describeFlags, wrap } from '../config/describe.ts'
import type { Command } from './command.ts'

export function commandHelp(command: Command, width: number): string {
  const examples = command.examples.flatMap(({ line, does }) => [
    ...shellLines(line, width),
    ...indented(does, 6, width),
  ])
  return [
    `Usage: orbweaver ${command.name}${command.usage === '' ? '' : ` ${command.usage}`}${' [FLAGS]'}`,
    command.more
      .split('\n')
      .flatMap((paragraph) => wrap(paragraph, width))
      .join('\n'),
    ['Examples:', ...examples].join('\n'),
    describeFlags(command.name, width),
  ].join('\n\n')
}

export function generalHelp(commands: readonly Command[], version: string, width: number): string {
  const longest = Math.max(...commands.map((c) => c.name.length))
  const what = (command: Command) => {
    const [first, ...more] = indented(command.what, longest + 4, width)
    return [`  ${command.name.padEnd(longest)}  ${first.trimStart()}`, ...more]
  }
  const intro = `Orbweaver ${version} collects a portion of the web politely and keeps it in the formats of web archives.`
  return [
    wrap(intro, width).join('\n'),
    'Usage: orbweaver COMMAND [WORDS] [FLAGS]',
    ['Commands:', ...commands.flatMap(what)].join('\n'),
    [
      'Examples:',
      '  orbweaver demo',
      ...shellLines('orbweaver crawl https://www.example.org/ --contact https://example.org/crawler', width),
      '  orbweaver status',
    ].join('\n'),
    "'orbweaver COMMAND --help' tells more. 'orbweaver --version' prints the version.",
  ].join('\n\n')
}

function indented(text: string, columns: number, width: number): string[] {
  return wrap(text, Math.max(30, width - columns)).map((line) => ' '.repeat(columns) + line)
}

/** A command that can be copied as it stands: what is too long goes on in the next line, as a shell reads it. */
function shellLines(command: string, width: number): string[] {
  const [first, ...more] = wrap(command, Math.max(30, width - 8))
  const lines = [`  ${first}`, ...more.map((line) => `      ${line}`)]
  return lines.map((line, i) => (i < lines.length - 1 ? `${line} \\` : line))
}
