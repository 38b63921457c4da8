/** What somebody wrote for a setting, and who it was. */
import { keyOf, type SettingName } from './keys.ts'

export type Source =
  | { by: 'default' }
  | { by: 'preset'; name: string }
  | { by: 'file'; path: string; line: number }
  | { by: 'environment'; variable: string }
  | { by: 'flag'; flag: string }

export interface Given {
  texts: readonly string[]
  source: Source
}

/** Who set it, as a message names it. */
export function place(name: SettingName, source: Source): string {
  switch (source.by) {
    case 'default':
      return 'default'
    case 'preset':
      return source.name
    case 'file':
      return `${source.path}, line ${source.line}, ${keyOf(name)}`
    case 'environment':
      return source.variable
    case 'flag':
      return source.flag
  }
}
