/** What operators decide, as it is sent: `contracts/control.ts` in JSON. */
import Type from 'typebox'
import { MAX_ORDERS } from '../../contracts/control.ts'
import { closed, Duration, oneOf, SiteName } from './visit-json.ts'

/** Entries of one answer; the next page begins after the last. */
export const MAX_ENTRIES = 1000
const MAX_SEEDS_SENT = 10_000
const MAX_REASON = 1000
const Text = Type.String({ maxLength: 2000 })
const Site = Type.String({ minLength: 1, maxLength: 2000, description: 'www.example.org, or any URL of it' })
const Reason = Type.Optional(Type.String({ maxLength: MAX_REASON }))
const Rule = Type.Optional(Type.String({ maxLength: 100, description: 'a hazard rule; without it, all' }))

/** `Action` of `contracts/control.ts`. */
export const ActionBody = Type.Union([
  closed({ action: Type.Literal('pause'), reason: Reason }),
  closed({ action: oneOf('resume', 'stop') }),
  closed({ action: oneOf('pause-site', 'bar-site'), site: Site, reason: Reason }),
  closed({ action: oneOf('resume-site', 'ask-again'), site: Site }),
  closed({ action: Type.Literal('set-pause'), site: Site, pauseMs: Type.Union([Type.Number(), Type.Null()]) }),
  closed({ action: oneOf('trust', 'distrust'), site: Site, rule: Rule }),
  closed({
    action: Type.Literal('confirm-hazard'),
    site: Site,
    rule: Type.String({ maxLength: 100, description: 'a hazard rule' }),
    pattern: Type.Optional(Type.String({ maxLength: 2000, description: 'as found; without it, the whole site' })),
  }),
  closed({ action: oneOf('confirm-mirror', 'overrule-mirror', 'undecide-mirror'), site: Site, original: Site }),
  closed({ action: Type.Literal('add-seeds'), urls: Type.Array(Text, { minItems: 1, maxItems: MAX_SEEDS_SENT }) }),
  closed({
    action: Type.Literal('announce'),
    urls: Type.Array(Text, { minItems: 1, maxItems: MAX_SEEDS_SENT }),
    at: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'default: now' })),
  }),
  closed({ action: oneOf('blacklist', 'unblacklist'), pattern: Text }),
  closed({ action: Type.Literal('free-worker'), worker: Text }),
])

const Decided = Type.Object({ at: Type.Number(), who: Type.String(), reason: Type.Optional(Type.String()) })
export const ChoiceOnTheWire = Type.Object({
  paused: Type.Optional(Decided),
  barred: Type.Optional(Decided),
  stopped: Type.Optional(Decided),
  pauseMs: Type.Optional(Type.Number()),
  trust: Type.Optional(Type.Array(Type.String())),
  confirmed: Type.Optional(
    Type.Array(
      Type.Object({
        rule: Type.String(),
        pattern: Type.Optional(Type.String()),
        at: Type.Number(),
        who: Type.String(),
      }),
    ),
  ),
  blacklist: Type.Optional(Type.Array(Type.String())),
  copyOf: Type.Optional(Type.String()),
  notCopyOf: Type.Optional(Type.Array(Type.String())),
})
const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const AuditPage = Type.Object({
  entries: Type.Array(
    Type.Object({
      id: Type.Number(),
      at: Type.Number({ description: 'milliseconds since 1970' }),
      who: Type.String(),
      action: Type.String(),
      subject: Type.String(),
      before: TextOrNull,
      after: TextOrNull,
    }),
  ),
})

export const OrdersOnTheWire = Type.Object({
  version: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  isPaused: Type.Boolean(),
  blacklist: Type.Optional(Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 10_000 })),
  sites: Type.Array(
    Type.Object({
      site: SiteName,
      isStopped: Type.Optional(Type.Boolean()),
      pauseMs: Type.Optional(Duration),
      trust: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
      confirmed: Type.Optional(
        Type.Array(
          Type.Object({
            rule: Type.String({ maxLength: 100 }),
            pattern: Type.Optional(Type.String({ maxLength: 2000 })),
          }),
          { maxItems: 100 },
        ),
      ),
    }),
    { maxItems: MAX_ORDERS },
  ),
})
