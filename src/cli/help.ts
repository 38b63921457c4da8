/** Help texts: what a command does, examples first, then its flags from the table of settings. */
import { describeFlags, wrap } from '../config/describe.ts'
import type { Command } from './command.ts'

export function commandHelp(command: Command, width: number): string {
  const examples = command.examples.flatMap(({ line, does }) => [`  ${line}`, `      ${does}`])
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

export function generalHelp(commands: readonly Command[], version: string): string {
  const longest = Math.max(...commands.map((c) => c.name.length))
  return [
    `Orbweaver ${version} collects a portion of the web politely and keeps it in the formats of web archives.`,
    'Usage: orbweaver COMMAND [WORDS] [FLAGS]',
    ['Commands:', ...commands.map((c) => `  ${c.name.padEnd(longest)}  ${c.what}`)].join('\n'),
    [
      'Examples:',
      '  orbweaver demo',
      '  orbweaver crawl https://www.example.org/ --contact https://example.org/crawler',
      '  orbweaver status',
    ].join('\n'),
    "'orbweaver COMMAND --help' tells more. 'orbweaver --version' prints the version.",
  ].join('\n\n')
}
