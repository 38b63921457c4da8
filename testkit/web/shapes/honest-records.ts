/** An archive that names its records by long numbers (hashes, GUIDs) where others carry session ids: each is another record. */
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, token } from './sheet.ts'

const RECORDS = 80
const PER_PAGE = 20

function path(seed: number, number: number): string {
  const hex = token(seed, number, 40)
  const guid = hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return [`/record/${hex}`, `/view.php?uuid=${guid}`, `/item;id=${hex.slice(0, 32)}`, `/commit/?id=${hex}`][
    choice(seed, 1, 4)
  ]
}

export const honestRecords: Shape = {
  entries: () => ['/records?page=1'],
  page(asked, _, seed) {
    const list = readNumber(/^\/records\?page=(\d)$/.exec(asked)?.[1], RECORDS / PER_PAGE)
    const number = list === undefined ? numberOf(seed, asked) : undefined
    if (list === 0 || (list === undefined && number === undefined)) return undefined
    return realSheet(seed, asked, list === undefined ? `Record ${number}` : `Records ${list}`, (pen) => {
      if (number !== undefined) {
        pen.prose(asked, 2)
        pen.link(path(seed, (number + 1) % RECORDS), 'Next')
        return
      }
      const from = ((list ?? 1) - 1) * PER_PAGE
      for (let one = from; one < from + PER_PAGE; one++) pen.link(path(seed, one), pen.line(`record ${one}`, 6))
      for (let other = 1; other <= RECORDS / PER_PAGE; other++)
        if (other !== list) pen.link(`/records?page=${other}`, `${other}`)
    })
  },
}

function numberOf(seed: number, asked: string): number | undefined {
  for (let number = 0; number < RECORDS; number++) if (path(seed, number) === asked) return number
  return undefined
}
