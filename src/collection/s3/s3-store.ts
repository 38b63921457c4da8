/** A bucket of an S3-compatible store. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Problem } from '../../base/errors.ts'

/** What we need of an object store: objects are written whole, never changed, and durable when `put` has ended. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Of any size, read in pieces; the object exists with all of its bytes, or not at all. */
  putLarge(key: string, size: number, read: (offset: number, length: number) => Uint8Array): Promise<void>
  /** Fewer bytes at the object's end; undefined when there is no such object. */
  get(key: string, offset: number, length: number): Promise<Uint8Array | undefined>
  size(key: string): Promise<number | undefined>
  /** All keys with this prefix, sorted. */
  list(prefix: string): Promise<{ key: string; size: number }[]>
  remove(keys: readonly string[]): Promise<void>
  close(): void
}

export interface S3Access {
  /** Undefined: Amazon's own. */
  endpoint: string | undefined
  region: string
  /** Undefined: as the AWS tools find them (variables, files, the machine's role). */
  keys: { id: string; secret: string } | undefined
}

const ATTEMPTS = 3
const TIMES = { connectionTimeout: 10_000, requestTimeout: 60_000, throwOnRequestTimeout: true }
/** At least 5 MiB each but the last, at most 10,000: volumes of 160 GB. */
const PART_BYTES = 16 * 2 ** 20
/** A volume has about as many pieces as seconds in which it grew. */
const MAX_LISTED = 1_000_000

/** `location`: s3://BUCKET/PREFIX. */
export function openS3(location: string, access: S3Access): ObjectStore {
  const [, Bucket = '', path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(location) ?? []
  const prefix = path === '' ? '' : `${path.replace(/\/+$/, '')}/`
  const client = clientOf(access)
  const at = (key: string) => ({ Bucket, Key: prefix + key })
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw new Problem('store-failed', `${location}: ${reasonOf(error)}`, { cause: error })
    }
  }
  const orAbsent = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (statusOf(error) === 404 && !/bucket/i.test((error as Error).name)) return undefined
      throw error
    }
  }

  return {
    async put(key, bytes) {
      await ask(() => client.send(new PutObjectCommand({ ...at(key), Body: bytes })))
    },
    async putLarge(key, size, read) {
      if (size <= PART_BYTES) await this.put(key, read(0, size))
      else await ask(() => putParts(client, at(key), size, read))
    },
    get: (key, offset, length) =>
      ask(() =>
        orAbsent(async () => {
          if (length === 0) return new Uint8Array(0)
          try {
            const Range = `bytes=${offset}-${offset + length - 1}`
            const { Body } = await client.send(new GetObjectCommand({ ...at(key), Range }))
            return ((await Body?.transformToByteArray()) ?? new Uint8Array(0)).subarray(0, length)
          } catch (error) {
            if (statusOf(error) === 416) return new Uint8Array(0)
            throw error
          }
        }),
      ),
    size: (key) =>
      ask(() => orAbsent(async () => (await client.send(new HeadObjectCommand(at(key)))).ContentLength ?? 0)),
    list: (inside) =>
      ask(async () => {
        const found: { key: string; size: number }[] = []
        let ContinuationToken: string | undefined
        do {
          const page = await client.send(
            new ListObjectsV2Command({ Bucket, Prefix: prefix + inside, ContinuationToken }),
          )
          for (const { Key = '', Size = 0 } of page.Contents ?? [])
            found.push({ key: Key.slice(prefix.length), size: Size })
          ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
        } while (ContinuationToken !== undefined && found.length < MAX_LISTED)
        return found
      }),
    async remove(keys) {
      if (keys.length === 0) return
      const Objects = keys.map((key) => ({ Key: prefix + key }))
      const { Errors = [] } = await ask(() =>
        client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
      )
      if (Errors.length > 0)
        throw new Problem(
          'store-failed',
          `${location}: ${Errors.length} objects could not be removed (${Errors[0].Message ?? Errors[0].Code})`,
        )
    },
    close: () => client.destroy(),
  }
}

function clientOf({ endpoint, region, keys }: S3Access): S3Client {
  return new S3Client({
    region,
    maxAttempts: ATTEMPTS,
    requestHandler: TIMES,
    ...(keys && { credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret } }),
    // Other S3-compatible stores: buckets in the path, and not all support the newer checksums.
    ...(endpoint && {
      endpoint,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
      responseChecksumValidation: 'WHEN_REQUIRED' as const,
    }),
  })
}

async function putParts(
  client: S3Client,
  target: { Bucket: string; Key: string },
  size: number,
  read: (offset: number, length: number) => Uint8Array,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  try {
    const Parts: { ETag: string | undefined; PartNumber: number }[] = []
    for (let offset = 0; offset < size; offset += PART_BYTES) {
      const PartNumber = Parts.length + 1
      const Body = read(offset, Math.min(PART_BYTES, size - offset))
      const { ETag } = await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }))
      Parts.push({ ETag, PartNumber })
    }
    await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
  } catch (error) {
    // Otherwise the uploaded parts stay, and cost money.
    await client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(() => {})
    throw error
  }
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

/** An error without a body has only its status. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const status = statusOf(error)
  return `${error.name}${status === undefined ? '' : ` (${status})`}: ${error.message || 'no reason given'}`
}
