/** Prints `docs/reference/commands.md` from the commands: `node tools/commands-page.ts > docs/reference/commands.md`. */
import type { Command } from '../src/app/cli/command.ts'
import { settingsOfCommand, usageOf } from '../src/app/cli/help.ts'
import { allCommands } from '../src/app/cli/main.ts'
import { flagOf, settingOf } from '../src/app/config/keys.ts'

export function commandsDocument(commands: readonly Command[]): string {
  const head = [
    '# Commands',
    '<!-- Printed from src/app/cli/commands/ by tools/commands-page.ts; a test compares. Do not edit. -->',
    [
      'In a checkout, `npm start --silent -- ARGS` stands for `orbweaver ARGS`. Flags may come before or after arguments;',
      '`--pause 5s` and `--pause=5s` are the same; `--` ends the flags. Results go to standard output, progress and problems to',
      'standard error. [Settings](settings.md) explains every flag, [exit codes](exit-codes.md) lists how commands end,',
      '[JSON](json.md) describes what `--json` prints. All commands take `-c/--collection DIR`, `--config FILE`, `--json`,',
      '`--quiet`, `--verbose` and `--help`.',
    ].join('\n'),
  ]
  return `${[...head, ...commands.map(commandSection)].join('\n\n')}\n`
}

function commandSection(command: Command): string {
  const own = settingsOfCommand(command.name).filter((name) => settingOf(name).group !== 'General')
  const examples = Object.entries(command.examples).flatMap(([line, does]) => [`# ${does}`, line])
  const parts = [
    `## ${command.name}`,
    `\`${usageOf(command)}\`: ${command.what}.`,
    command.more.replaceAll('\n', '\n\n'),
    ['```sh', ...examples, '```'].join('\n'),
  ]
  if (own.length > 0) parts.push(`Flags: ${own.map((name) => `\`${flagOf(name)}\``).join(', ')}.`)
  return parts.join('\n\n')
}

if (import.meta.main) process.stdout.write(commandsDocument(await allCommands()))
