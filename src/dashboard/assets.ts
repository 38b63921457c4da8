/** The style and the script, under names that contain their digest, so browsers may cache them forever. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { realDisk } from '../base/real-disk.ts'
import type { PageAnswer } from './page.ts'

function asset(file: string, type: string) {
  const path = join(import.meta.dirname, 'assets', file)
  const body = realDisk.read(path, 0, realDisk.size(path) ?? 0)
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return { path: `/assets/${digest}-${file}`, type, body }
}

export const ASSETS = {
  style: asset('style.css', 'text/css; charset=utf-8'),
  script: asset('live.js', 'text/javascript; charset=utf-8'),
} as const

const FOR_EVER = 'public, max-age=31536000, immutable'

export function assetAt(path: string): PageAnswer | undefined {
  const found = Object.values(ASSETS).find((one) => one.path === path)
  return found && { status: 200, type: found.type, body: found.body, headers: { 'cache-control': FOR_EVER } }
}
