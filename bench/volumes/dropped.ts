/** `node --import`: workers digest and compress as always, and write to a disk that drops what it is given. */
import { replaceModule } from './replace-module.ts'

replaceModule(
  '/src/app/composition/real-worker.ts',
  '../../collection/volumes/volume-writer.ts',
  new URL('./dropping-archive.ts', import.meta.url),
)
