/**
 * Loaded before a program (`node --import …/wrong-clock.ts?hours=-7 …`): the process and all its threads take it to be so many
 * hours later than it is. Only the time of day: what counts durations goes on as ever, as on a machine whose time is set wrong.
 */
const RealDate = Date
const realNow = Date.now
const aheadMs = Number(new URL(import.meta.url).searchParams.get('hours')) * 3_600_000
const now = (): number => realNow() + aheadMs

Date.now = now
globalThis.Date = new Proxy(RealDate, {
  construct: (_, given, asked) => Reflect.construct(RealDate, given.length === 0 ? [now()] : given, asked),
  apply: () => new RealDate(now()).toString(),
})
