/** All commands, in the order in which help lists them. */
import type { Command } from './command.ts'
import { config } from './commands/config.ts'
import { crawl } from './commands/crawl.ts'
import { demo } from './commands/demo.ts'
import { explain } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { get } from './commands/get.ts'
import { history } from './commands/history.ts'
import { mirrors } from './commands/mirrors.ts'
import { report } from './commands/report.ts'
import { seed } from './commands/seed.ts'
import { simulate } from './commands/simulate.ts'
import { status } from './commands/status.ts'
import { verify } from './commands/verify.ts'

export const COMMANDS: readonly Command[] = [
  demo,
  crawl,
  status,
  report,
  explain,
  get,
  history,
  verify,
  exportCommand,
  seed,
  mirrors,
  config,
  simulate,
]
