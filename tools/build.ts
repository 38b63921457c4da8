/** `npm run build`: compiles the package to JavaScript and copies the WebAssembly modules and the dashboard's style and script beside it. */
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { wasmModules } from './wasm.ts'

const root = join(import.meta.dirname, '..')

/** Writes to `dist` in that folder. `flags`: more for tsc. */
export function build(folder: string, ...flags: string[]): void {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const dist = join(folder, 'dist')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', dist, ...flags], {
    cwd: root,
    stdio: 'inherit',
  })
  for (const { compiled } of wasmModules()) cpSync(join(root, compiled), join(dist, compiled))
  const assets = join('src', 'dashboard', 'assets')
  cpSync(join(root, assets), join(dist, assets), { recursive: true })
}

if (import.meta.main) build(root)
