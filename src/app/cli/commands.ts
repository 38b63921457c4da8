/**
 * All commands, in the order in which help lists them. Each is loaded when it is asked for: a crawl needs none of the others,
 * and what a program reads before its first request is time that somebody waits.
 */
import type { CommandName } from '../config/setting.ts'
import type { Command } from './command.ts'

const LOADERS: Record<CommandName, () => Promise<Command>> = {
  demo: async () => (await import('./commands/demo.ts')).demo,
  crawl: async () => (await import('./commands/crawl.ts')).crawl,
  status: async () => (await import('./commands/status.ts')).status,
  report: async () => (await import('./commands/report.ts')).report,
  explain: async () => (await import('./commands/explain.ts')).explain,
  get: async () => (await import('./commands/get.ts')).get,
  history: async () => (await import('./commands/history.ts')).history,
  verify: async () => (await import('./commands/verify.ts')).verify,
  clean: async () => (await import('./commands/clean.ts')).clean,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  seed: async () => (await import('./commands/seed.ts')).seed,
  mirrors: async () => (await import('./commands/mirrors.ts')).mirrors,
  config: async () => (await import('./commands/config.ts')).config,
  serve: async () => (await import('./commands/serve.ts')).serve,
  worker: async () => (await import('./commands/worker.ts')).worker,
  simulate: async () => (await import('./commands/simulate.ts')).simulate,
}

export const COMMAND_NAMES = Object.keys(LOADERS) as readonly CommandName[]

/** Undefined when there is no such command. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return COMMAND_NAMES.includes(name as CommandName) ? LOADERS[name as CommandName]() : undefined
}

export function allCommands(): Promise<Command[]> {
  return Promise.all(COMMAND_NAMES.map((name) => LOADERS[name]()))
}
