/** Some of the runs of `npm run chaos -- --simulated`, in a process of its own: `fork('simulated-share.ts', [JSON.stringify(share)])`. */
import { runCluster } from '../../src/simulate/cluster-run.ts'
import { clusterOf } from '../../src/simulate/cluster-seed.ts'

/** Every `step`th seed from `first` on, below `end`. */
export interface Share {
  first: number
  step: number
  end: number
}

/** What is told of each run; before it, the seed alone, so that nobody need guess where a process ended. */
export interface SimulatedRun {
  seed: number
  done?: {
    requests: number
    virtualMs: number
    counts: [kind: string, count: number][]
    wrong: string[]
  }
}

const MOST_WRONG = 20

async function work({ first, step, end }: Share, tell: (run: SimulatedRun) => void): Promise<void> {
  for (let seed = first; seed < end; seed += step) {
    tell({ seed })
    const { requests, virtualMs, befallen, faults, stage } = await runCluster(clusterOf(seed))
    await stage.database.close()
    tell({
      seed,
      done: { requests, virtualMs, counts: [...befallen.counts], wrong: faults.slice(0, MOST_WRONG) },
    })
  }
}

// Only as a process of its own: the types above are imported by who starts it.
if (process.send !== undefined && import.meta.main) {
  await work(JSON.parse(process.argv[2]) as Share, (run) => process.send?.(run))
  process.disconnect()
}
