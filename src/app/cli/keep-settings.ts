/** Writes the settings of a collection into it, if it has none: whole or not at all, whatever happens meanwhile. */
import { join } from 'node:path'
import { replaceFile } from '../../base/disk.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { Given } from '../config/given.ts'
import type { SettingName } from '../config/keys.ts'
import { COLLECTION_FILE } from '../config/load.ts'
import { writeSettingsFile } from '../config/settings-file.ts'

export async function keepSettings(
  folder: string,
  given: ReadonlyMap<SettingName, Given>,
  version: string,
): Promise<void> {
  const path = join(folder, COLLECTION_FILE)
  if (realDisk.size(path) === undefined) await replaceFile(realDisk, path, writeSettingsFile(given, version))
}
