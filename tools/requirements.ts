/**
 * Writes into `docs/requirements.md` where each requirement is implemented and tested: the files whose comments, test titles or
 * schemas cite it as `(C5)` or `(V12, V27: why)`. Fails on an id that the page does not have. `node tools/requirements.ts [--check]`
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/requirements.md')
const CITED = /\(([CVWYPB]\d{1,2}(?:, [CVWYPB]\d{1,2})*)(?:[,:;] [^()]*)?\)/g
const ROW = /^\| \*\*([CVWYPB]\d{1,2})\*\* \| (.*?) \| .* \| .* \|$/
const IS_TEST = /\.(test|contract)\.ts$|\.test-|^test\//

/** The page as it should be, given what it says and what files cite. */
export function requirementsPage(page: string, files: ReadonlyMap<string, string>): string {
  const lines = page.split('\n')
  const known = new Set(lines.flatMap((line) => ROW.exec(line)?.[1] ?? []))
  const cited = new Map<string, string[]>()
  for (const [path, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const id of new Set([...text.matchAll(CITED)].flatMap(([, ids]) => ids.split(', ')))) {
      if (!known.has(id)) throw new Error(`${path} cites ${id}, which docs/requirements.md does not have`)
      cited.set(id, [...(cited.get(id) ?? []), path])
    }
  const links = (paths: readonly string[]) =>
    paths.map((path) => `[${path.replace(/^src\//, '')}](../${path})`).join('<br>') || '–'
  return lines
    .map((line) => {
      const [, id, says] = ROW.exec(line) ?? []
      if (id === undefined) return line
      const paths = cited.get(id) ?? []
      const tests = paths.filter((path) => IS_TEST.test(path))
      return `| **${id}** | ${says} | ${links(paths.filter((path) => !tests.includes(path)))} | ${links(tests)} |`
    })
    .join('\n')
}

/** Every source file of the product, the testkit and the tests. */
export function sourceFiles(): Map<string, string> {
  return new Map(
    ['src', 'testkit', 'test', 'bench'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')] as const),
    ),
  )
}

if (import.meta.main) {
  const before = readFileSync(PAGE, 'utf8')
  const after = requirementsPage(before, sourceFiles())
  if (process.argv.includes('--check') && after !== before) {
    console.error('docs/requirements.md is not what the code says: node tools/requirements.ts')
    process.exitCode = 1
  } else writeFileSync(PAGE, after)
}
