import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem, type ProblemCode } from '../../base/errors.ts'
import { problemOf, type RetryKind, retryKind, StandbyError } from './errors.ts'

/** As the server says it. */
const said = (code: string, more: object = {}) => Object.assign(new Error('said'), { code, severity: 'ERROR', ...more })
/** As the system says it. */
const failed = (code: string) => Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })

describe('an error', () => {
  it('is tried again when that can help', () => {
    const table: [unknown, boolean, RetryKind][] = [
      [said('40001'), false, 'conflict'],
      [said('40P01'), false, 'conflict'],
      [said('57014'), false, 'slow'],
      [said('57P01'), true, 'away'],
      [said('57P03'), true, 'away'],
      [said('08006'), false, 'away'],
      [said('0A000', { routine: 'RevalidateCachedQuery' }), false, 'away'],
      [said('0A000'), false, 'no'],
      [said('23505'), false, 'no'],
      [said('28P01'), true, 'no'],
      [failed('ECONNREFUSED'), false, 'away'],
      [new AggregateError([failed('ECONNREFUSED'), failed('ENETUNREACH')]), false, 'away'],
      [new Error('Connection terminated unexpectedly'), false, 'away'],
      [new Error('Query read timeout'), false, 'away'],
      [new StandbyError('here'), false, 'away'],
      [new Error('a bug'), false, 'no'],
      // The work failed because its connection had gone, and made an error of its own of it.
      [new Error('cannot settle'), true, 'away'],
      [new Problem('bad-seed', 'no'), true, 'no'],
    ]
    for (const [error, isLost, expected] of table) assert.equal(retryKind(error, isLost), expected, String(error))
  })

  it('is the operator’s when he can do something, and else a bug', () => {
    const table: [unknown, ProblemCode | undefined, RegExp][] = [
      [said('53100'), 'disk-full', /free some/],
      [said('28P01'), 'unfit-database', /user and password/],
      [said('3D000'), 'unfit-database', /createdb/],
      [
        Object.assign(new Error('permission denied for schema public'), { code: '42501' }),
        'unfit-database',
        /schema public/,
      ],
      [said('XX001'), 'damaged-database', /its log/],
      [said('57P03'), 'database-unreachable', /starting or stopping/],
      [failed('ENOTFOUND'), 'database-unreachable', /no address/],
      [new AggregateError([failed('ECONNREFUSED')]), 'database-unreachable', /nothing listens/],
      [new Error('timeout expired'), 'database-unreachable', /no answer in time/],
      [said('23505'), undefined, /said/],
      [new Error('a bug'), undefined, /a bug/],
    ]
    for (const [error, code, words] of table) {
      const trouble = problemOf(error, 'postgres://here/crawl')
      assert.equal(trouble instanceof Problem ? trouble.code : undefined, code, String(error))
      assert.match((trouble as Error).message, words)
    }
  })
})
