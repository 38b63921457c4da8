/** Opens a collection for one question and closes it, whatever happens. */
import { existsSync } from 'node:fs'
import type { SettingName, Settings } from '../config/keys.ts'
import { settingsOver } from '../config/load.ts'
import type { CollectionReader } from './collection-reader.ts'
import type { Command, Invocation } from './command.ts'

export async function withReader<T>(call: Invocation, ask: (reader: CollectionReader) => Promise<T>): Promise<T> {
  const reader = await call.services.openCollection(call.settings.collection, call.settings)
  try {
    return await ask(reader)
  } finally {
    await reader.close()
  }
}

/** Files of the servers, which may not be on this machine. */
const FILES = ['blacklistUrls', 'blacklistDomains', 'blacklistAddresses', 'mirrors'] as const satisfies SettingName[]

/** What the crawl goes by: a shared database records it, and who asks has often no folder with the file of settings. */
export async function crawlSettings(
  reader: CollectionReader,
  call: Invocation,
  command: Command['name'],
): Promise<Settings> {
  const isKnown = [...call.given.values()].some(({ source }) => source.by === 'file')
  const recorded = call.settings.database === undefined || isKnown ? undefined : await reader.recordedSettings()
  if (recorded === undefined) return call.settings
  const settings = { ...settingsOver(recorded, call.given, command) }
  for (const name of FILES) {
    const path = settings[name]
    if (path === undefined || existsSync(path)) continue
    settings[name] = undefined
    call.screen.say(`orbweaver: note: ${path} of the servers is not on this machine, so what it says is not known here`)
  }
  return settings
}
