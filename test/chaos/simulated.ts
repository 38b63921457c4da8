/** The same kinds of faults in virtual time, where a run takes a part of a second: thousands of them, each from its own seed. */
import { runCluster } from '../../src/simulate/cluster-run.ts'
import { clusterOf } from '../../src/simulate/cluster-seed.ts'

const TELL_EVERY = 100

/** False when a run went wrong: its seed and what was wrong are told, and the others go on. */
export async function simulatedChaos(runs: number, first: number, tell: (line: string) => void): Promise<boolean> {
  const sums = new Map<string, number>()
  const began = performance.now()
  let wrong = 0
  let requests = 0
  let virtualMs = 0
  for (let done = 0; done < runs; done++) {
    const seed = first + done
    const report = await runCluster(clusterOf(seed))
    await report.stage.database.close()
    requests += report.requests
    virtualMs += report.virtualMs
    for (const [kind, count] of report.befallen.counts) sums.set(kind, (sums.get(kind) ?? 0) + count)
    if (report.faults.length > 0) {
      wrong++
      tell(`seed ${seed} is wrong (npm run chaos -- --simulated 1 --seed ${seed}):`)
      for (const fault of report.faults.slice(0, 20)) tell(`  ${fault}`)
    }
    if ((done + 1) % TELL_EVERY === 0) tell(`${done + 1} of ${runs} runs, ${wrong} wrong`)
  }
  const faults = [...sums.values()].reduce((sum, n) => sum + n, 0)
  const hours = (virtualMs / 3_600_000).toFixed(0)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  tell(
    `${runs} runs from seed ${first}: ${wrong} wrong; ${requests} requests, ${hours} h of virtual time, in ${seconds} s`,
  )
  tell(`${faults} faults:`)
  for (const [kind, count] of [...sums].sort()) tell(`  ${String(count).padStart(5)}  ${kind}`)
  return wrong === 0
}
