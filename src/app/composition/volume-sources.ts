/** Reaches volumes on other machines. The libraries for that are loaded when they are used. */
import { realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { HttpClient } from '../../cluster/wire/http-client.ts'
import type { ShownSecrets } from '../../cluster/wire/volume-reader.ts'
import type { VolumeSources } from '../../collection/locations/read-volumes.ts'
import type { ObjectStore, S3Access } from '../../collection/s3/s3-store.ts'
import { serverCaOf } from '../config/certificates.ts'
import type { Settings } from '../config/keys.ts'

export interface VolumeAccess extends ShownSecrets {
  /** Certificates that servers may have, beside those that the machine trusts (PEM). */
  serverCa?: string
  s3: S3Access
}

type S3Settings = Pick<Settings, 's3Endpoint' | 's3Region' | 's3Key' | 's3Secret'>

export function s3AccessOf({ s3Endpoint, s3Region, s3Key, s3Secret }: S3Settings): S3Access {
  if ((s3Key === undefined) !== (s3Secret === undefined))
    throw new Problem('bad-flag', '--s3-key and --s3-secret belong together: give both')
  const keys = s3Key === undefined || s3Secret === undefined ? undefined : { id: s3Key, secret: s3Secret }
  return { endpoint: s3Endpoint, region: s3Region, keys }
}

export function volumeAccessOf(
  settings: S3Settings & Pick<Settings, 'joinSecret' | 'operatorToken' | 'serverCa'>,
): VolumeAccess {
  const serverCa = serverCaOf(settings)
  const { joinSecret, operatorToken } = settings
  return { joinSecret, operatorToken, ...(serverCa && { serverCa }), s3: s3AccessOf(settings) }
}

export function volumeSources({ serverCa, s3, ...shown }: VolumeAccess): VolumeSources {
  let client: HttpClient | undefined
  const stores = openStores(() => s3)
  return {
    async server(url) {
      const [{ httpClient }, { volumeReader }] = await Promise.all([
        import('../../cluster/wire/http-client.ts'),
        import('../../cluster/wire/volume-reader.ts'),
      ])
      client ??= httpClient(realClock, serverCa)
      return volumeReader(client, url, shown)
    },
    async store(location) {
      const { storedVolumes } = await import('../../collection/s3/stored-volumes.ts')
      return storedVolumes(await stores.open(location)).readAt
    },
    close() {
      client?.close()
      stores.close()
    },
  }
}

/** S3-compatible stores by location, each opened when it is first asked for. */
export function openStores(access: () => S3Access) {
  const stores = new Map<string, Promise<ObjectStore>>()
  return {
    open(location: string): Promise<ObjectStore> {
      const store =
        stores.get(location) ??
        import('../../collection/s3/s3-store.ts').then(({ openS3 }) => openS3(location, access()))
      stores.set(location, store)
      return store
    },
    close() {
      for (const store of stores.values())
        void store.then(
          (one) => one.close(),
          () => {},
        )
    },
  }
}
