import type { Intake, IntakeTools } from './intake.ts'
import { PostgresIntake } from './postgres/intake.ts'
import { SqliteIntake } from './sqlite/intake.ts'

/** Applies nothing yet: `drain` does, once the coordinator is ready. */
export async function openIntake(tools: IntakeTools): Promise<Intake> {
  switch (tools.database.dialect) {
    case 'sqlite':
      return SqliteIntake.open(tools)
    case 'postgres':
      return PostgresIntake.open(tools)
  }
}
