/** `node --import`: workers keep nothing. */
import { replaceModule } from './replace-module.ts'

replaceModule(
  '/src/app/composition/real-worker.ts',
  '../../collection/volumes/volume-writer.ts',
  new URL('./no-archive.ts', import.meta.url),
)
