/** One size, measured in a process of its own: its memory is the frontier's, not that of whoever filled it. */
import { measureFrontier } from './measure.ts'
import { NumberedWeb, type Size } from './numbered-web.ts'
import { sqliteFrontier } from './opened.ts'

export interface ChildTask {
  path: string
  size: Size
  visits: number
}

const { path, size, visits } = JSON.parse(process.argv[2]) as ChildTask
console.log(JSON.stringify(await measureFrontier(sqliteFrontier(path), new NumberedWeb(size), visits)))
