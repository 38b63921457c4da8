/** A capture that is to be compared with what another worker brings: its row, with what the first brought. */
export interface AwaitedCapture {
  site: bigint
  key: bigint
  first_worker: string
  digest: string
  text_digest: bigint
  simhash: bigint
}
