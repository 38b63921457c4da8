/** `docs/reference/commands.md`, printed from the commands themselves. */
import { settingsOfCommand } from '../config/describe.ts'
import { flagOf, settingOf } from '../config/keys.ts'
import type { Command } from './command.ts'

export function commandsDocument(commands: readonly Command[]): string {
  const head = [
    '# Commands',
    '<!-- Printed from src/app/cli/commands/ by src/app/cli/commands-document.ts; a test compares. Do not edit. -->',
    [
      'From a checkout `npm start --silent -- ARGS` is `orbweaver ARGS`. Flags may stand before or after words; `--pause 5s` and',
      '`--pause=5s` are the same; `--` ends flags. Results go to standard output, progress and problems to standard error.',
      '[Settings](settings.md) explains every flag, [exit codes](exit-codes.md) what a command ends with, [JSON](json.md) what',
      '`--json` prints. Common to all: `-c/--collection DIR`, `--config FILE`, `--json`, `--quiet`, `--verbose`, `--help`.',
    ].join('\n'),
  ]
  return `${[...head, ...commands.map(section)].join('\n\n')}\n`
}

function section(command: Command): string {
  const own = settingsOfCommand(command.name).filter((name) => settingOf(name).group !== 'Where and how much to say')
  const examples = command.examples.flatMap(({ line, does }) => [`# ${does}`, line])
  const parts = [
    `## ${command.name}`,
    `\`orbweaver ${command.name}${command.usage === '' ? '' : ` ${command.usage}`}\`: ${command.what}.`,
    command.more.replaceAll('\n', '\n\n'),
    ['```sh', ...examples, '```'].join('\n'),
  ]
  if (own.length > 0) parts.push(`Its flags: ${own.map((name) => `\`${flagOf(name)}\``).join(', ')}.`)
  return parts.join('\n\n')
}
