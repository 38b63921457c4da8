/** The package as npm would install it: built, without the sources, its dependencies beside it. */
import { execFileSync } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** Makes it in that folder; returns the program to start. */
export function builtPackage(folder: string): string {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = join(ROOT, 'tsconfig.build.json')
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', join(folder, 'dist')], { cwd: ROOT })
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'bin', 'orbweaver.js')
}
