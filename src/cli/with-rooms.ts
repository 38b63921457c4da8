/** Opens a collection for one question and closes it, whatever happens. */
import type { Invocation } from './command.ts'
import type { Rooms } from './rooms.ts'

export async function withRooms<T>(call: Invocation, ask: (rooms: Rooms) => Promise<T>): Promise<T> {
  const rooms = await call.doors.openCollection(call.settings.collection, call.settings)
  try {
    return await ask(rooms)
  } finally {
    await rooms.close()
  }
}
