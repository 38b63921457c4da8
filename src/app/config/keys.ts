/**
 * The table of settings. A key `maxPages` is the flag `--max-pages`, the line `max-pages:` of orbweaver.yaml and the variable
 * `ORBWEAVER_MAX_PAGES`. Defaults are defined here and nowhere else. No setting switches off robots.txt or the pause.
 */
import { VN } from '../../crawl/hazards/limits.ts'
import { COMMAND_SETTINGS } from './command-keys.ts'
import { CLUSTER_SETTINGS, CRAWL_SETTINGS, WATCHING_SETTINGS } from './crawl-keys.ts'
import type { Setting } from './setting.ts'

export const SETTINGS = { ...CRAWL_SETTINGS, ...CLUSTER_SETTINGS, ...WATCHING_SETTINGS, ...COMMAND_SETTINGS } as const

export type SettingName = keyof typeof SETTINGS

/** All settings, frozen plain data. Durations are milliseconds, sizes are bytes. `links` is filled in by `load.ts`. */
export type Settings = {
  readonly [K in SettingName]: K extends 'links'
    ? 'home-page' | 'deep' | 'combined'
    : (typeof SETTINGS)[K] extends Setting<infer T>
      ? T
      : never
}

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** `maxPages` → `max-pages` */
export function keyOf(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export function flagOf(name: SettingName): string {
  return `--${keyOf(name)}`
}

/** `maxPages` → `ORBWEAVER_MAX_PAGES` */
export function variableOf(name: SettingName): string {
  return `ORBWEAVER_${keyOf(name).replaceAll('-', '_').toUpperCase()}`
}

/** A setting without its particular type, for code that prints or parses all of them. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name]
}

/** What `--limits` stands for, as a user would write it. Every other source overrides it. */
export const PRESETS: Readonly<Record<Settings['limits'], Readonly<Partial<Record<SettingName, readonly string[]>>>>> =
  {
    generous: {},
    vn: {
      maxDepth: [String(VN.maxDepth)],
      maxUrlsPerSite: [String(VN.urlsPerSite)],
      maxDuplicatesPerSite: [String(VN.duplicatesPerSite)],
      maxUrlLength: [String(VN.maxUrlLength)],
      maxBytes: ['text/html', 'application/xhtml+xml', '*/*'].map((type) => `${type}=${VN.maxBytes}`),
      exchangeTimeout: [`${VN.exchangeMs}ms`],
    },
  }

/** What was written for a setting, and where. */
export interface Given {
  texts: readonly string[]
  /** `name`, as messages give it: `--pause`, `ORBWEAVER_PAUSE`, `news/orbweaver.yaml, line 3, pause`. */
  source: { by: 'preset' | 'file' | 'environment' | 'flag'; name: string }
}
