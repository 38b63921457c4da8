/** The package as npm would install it: built, without the sources, its dependencies beside it. */
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../tools/build.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Makes it in that folder; returns the program to start. */
export function builtPackage(folder: string): string {
  build(folder)
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin', 'orbweaver.js')
}
