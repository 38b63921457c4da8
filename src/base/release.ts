/**
 * Gives back the memory that these bytes have to themselves: nobody may look at them from then on. Else it is free when the
 * collector next looks at old objects: pages come faster than that, and what they left behind was half of what a worker held.
 */
export function release({ buffer, length }: Uint8Array): void {
  if (length > 0 && buffer instanceof ArrayBuffer) buffer.transfer(0)
}
