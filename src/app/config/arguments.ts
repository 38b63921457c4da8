/** Splits a command line into flags and arguments. Flags may stand anywhere; `--` ends them. */
import { Problem } from '../../base/errors.ts'
import { flagOf, type Given, keyOf, SETTING_NAMES, type SettingName, settingOf } from './keys.ts'
import { didYouMean } from './nearest.ts'
import type { CommandName, Setting } from './setting.ts'

/** `args`: everything that is not a flag: seeds, a URL, `duplicates` … */
export function parseArguments(argv: readonly string[], command: CommandName) {
  const args: string[] = []
  const flags = new Map<SettingName, Given>()
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]
    if (word === '--') {
      args.push(...argv.slice(i + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word)
      continue
    }
    const { name, value } = flag(word, command)
    const setting = settingOf(name)
    const isSwitch = setting.form === ''
    // Of --dashboard [HOST:PORT], the next word may as well be a seed.
    const isLeftOut = setting.form.startsWith('[') && !isFit(setting, argv[i + 1])
    const given = value ?? (isSwitch || isLeftOut ? 'yes' : argv[++i])
    // A value may begin with a dash only after = (--flag=-value); a lone dash is standard input.
    if (given === undefined || (value === undefined && given.startsWith('-') && given !== '-'))
      throw new Problem('bad-flag', `${flagOf(name)} needs a value: ${flagOf(name)} ${setting.form}`)
    const before = flags.get(name)?.texts ?? []
    if (before.length > 0 && !setting.repeatable && !isSwitch)
      throw new Problem('bad-flag', `${flagOf(name)} is given more than once; it takes one value`)
    const texts = setting.repeatable ? [...before, given] : [given]
    flags.set(name, { texts, source: { by: 'flag', name: flagOf(name) } })
  }
  return { args, flags }
}

function isFit({ read }: Setting<unknown>, word: string | undefined): boolean {
  try {
    return word !== undefined && read([word]) !== undefined
  } catch {
    return false
  }
}

function flag(word: string, command: CommandName): { name: SettingName; value: string | undefined } {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  const written = at < 0 ? word : word.slice(0, at)
  const value = at < 0 ? undefined : word.slice(at + 1)
  if (!written.startsWith('--')) return short(written, command)
  const negated = written.startsWith('--no-') && value === undefined ? named(written.slice(5), command) : undefined
  if (negated !== undefined && settingOf(negated).form === '') return { name: negated, value: 'no' }
  const name = named(written.slice(2), command)
  if (name === undefined) throw unknown(written, command)
  return { name, value }
}

function named(key: string, command: CommandName): SettingName | undefined {
  return SETTING_NAMES.find((name) => keyOf(name) === key && settingOf(name).commands.includes(command))
}

/** `-c DIR` and `-cDIR`. */
function short(word: string, command: CommandName): { name: SettingName; value: string | undefined } {
  const name = SETTING_NAMES.find((n) => settingOf(n).short === word[1] && settingOf(n).commands.includes(command))
  if (name === undefined) throw unknown(word, command)
  if (settingOf(name).form === '' && word.length > 2) throw unknown(word, command)
  return { name, value: word.length > 2 ? word.slice(2) : undefined }
}

function unknown(word: string, command: CommandName): Problem {
  const flags = SETTING_NAMES.filter((name) => settingOf(name).commands.includes(command)).map(flagOf)
  // Compared without dashes, so that `--depth` matches the end of `--max-depth`.
  const known = [...flags.map((flag) => flag.slice(2)), 'help']
  const hint = didYouMean(word.replace(/^-+/, ''), known, (name) => `--${name}`)
  const elsewhere = SETTING_NAMES.find((name) => flagOf(name) === word)
  if (elsewhere !== undefined) {
    const takers = settingOf(elsewhere).commands.filter((name) => name !== 'config')
    const others =
      takers.length === 1 ? `${takers[0]} does` : `${takers.slice(0, -1).join(', ')} and ${takers.at(-1)} do`
    return new Problem('bad-flag', `${command} does not take ${word}, only ${others}${hint}`)
  }
  return new Problem('bad-flag', `unknown flag ${word}${hint} ('orbweaver ${command} --help' lists all flags)`)
}
