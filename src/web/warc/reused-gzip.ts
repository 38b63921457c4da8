/**
 * Gzip again and again with one state.
 *
 * Node's `gzipSync` makes a stream, a state of 268 KB and room for the output anew for each record: an eighth of the time of a
 * page and a third of that of a request, and V8 counts it all as memory that a collection might free. There is no documented
 * way to begin anew, so this asks the stream's handle, as packers on npm have done for years. Where it is not as expected,
 * `gzipSync` does the work.
 */
import { constants, gzipSync, type ZlibOptions } from 'node:zlib'

/** Takes bytes at once: it copies or writes them before it returns. */
export type Emit = (bytes: Uint8Array) => void

/** All parts as one member. */
export type Gzip = (emit: Emit, parts: readonly Uint8Array[]) => void

/** What nearly all pages come to. Longer ones are emitted piece by piece. */
export const ROOM = 64 * 1024

const NOTHING = new Uint8Array(0)

/** With the stream that `createGzip` has made of the same options, which nobody else uses. */
export function reusedGzip(stream: object, options: ZlibOptions): Gzip {
  return isAsExpected(stream) ? withHandle(stream) : (emit, parts) => emit(gzipSync(Buffer.concat(parts), options))
}

interface GzipStream {
  readonly _handle: {
    writeSync(
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputLength: number,
      output: Uint8Array,
      outputAt: number,
      outputLength: number,
    ): void
    reset(): void
  }
  /** What the last write left: room in the output, bytes of the input. */
  readonly _writeState: Uint32Array
}

function isAsExpected(stream: Partial<GzipStream>): stream is GzipStream {
  const { _handle: handle, _writeState: state } = stream
  return typeof handle?.writeSync === 'function' && typeof handle.reset === 'function' && state instanceof Uint32Array
}

function withHandle({ _handle: handle, _writeState: left }: GzipStream): Gzip {
  const output = Buffer.allocUnsafeSlow(ROOM)
  return (emit, parts) => {
    // First, not last: whoever takes the bytes may have thrown in the middle of the one before.
    handle.reset()
    let filled = 0
    const write = (flush: number, bytes: Uint8Array) => {
      for (let at = 0; ; ) {
        handle.writeSync(flush, bytes, at, bytes.length - at, output, filled, ROOM - filled)
        filled = ROOM - left[0]
        at = bytes.length - left[1]
        if (filled < ROOM) return
        emit(output)
        filled = 0
      }
    }
    for (const part of parts) write(constants.Z_NO_FLUSH, part)
    write(constants.Z_FINISH, NOTHING)
    emit(output.subarray(0, filled))
  }
}
