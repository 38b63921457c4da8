/** Writes the settings of a new collection into it: whole or not at all, whatever happens meanwhile. */
import { join } from 'node:path'
import { realDisk } from '../base/real-disk.ts'
import type { Given } from '../config/given.ts'
import type { SettingName } from '../config/keys.ts'
import { COLLECTION_FILE } from '../config/load.ts'
import { writeSettingsFile } from '../config/settings-file.ts'

export async function keepSettings(
  folder: string,
  given: ReadonlyMap<SettingName, Given>,
  version: string,
): Promise<void> {
  const unfinished = join(folder, `${COLLECTION_FILE}.new`)
  realDisk.remove(unfinished)
  const file = realDisk.append(unfinished)
  file.write(new TextEncoder().encode(writeSettingsFile(given, version)))
  await file.sync()
  file.close()
  realDisk.rename(unfinished, join(folder, COLLECTION_FILE))
  await realDisk.syncFolder(folder)
}
