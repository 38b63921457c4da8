/** A server that only brings its database up to date, to be killed meanwhile: `node migrate.ts ADDRESS`. */
import { openPostgres } from '../../src/database/postgres/open.ts'

process.stdout.write('begins\n')
const database = await openPostgres(process.argv[2])
process.stdout.write('done\n')
await database.close()
