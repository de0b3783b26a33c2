import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Checks } from '../http/routes/health.ts'
import { samplesOf } from '../outbound/fetch/samples.ts'
import type { Network } from '../outbound/network.ts'
import { openDiskStore } from '../store/disk.ts'
import { isStoreReachable } from '../store/health.ts'
import type { StoreAccess } from '../store/s3.ts'
import { openS3Store } from '../store/s3.ts'
import type { Store } from '../store/store.ts'
import { watchDisk } from './disk-space.ts'
import type { ServiceConfig } from './installation.ts'
import type { DatabaseHealth } from './outages.ts'

export function networkOf(config: Config): Network {
  return {
    allowedHosts: config.allowedPrivateHosts,
    blockedNetworks: config.blockedNetworks,
    samples: samplesOf(config.baseUrl),
  }
}

export function checksOf(config: ServiceConfig, database: DatabaseHealth, store: Store, signal: AbortSignal): Checks {
  return {
    database: database.isReady,
    store: () => isStoreReachable(store),
    disk: watchDisk(config.dataDir, signal),
  }
}

export async function openStore(config: Config): Promise<Store> {
  if (config.storageUrl !== undefined) return await openS3Store(config.storageUrl, accessOf(config))
  return await openDiskStore(join(config.dataDir, 'results'))
}

/** Returns the store's certificate authority and credentials. If no credentials are set, the AWS SDK finds them. */
function accessOf({ storageCa: ca, storageAccessKeyId, storageSecretKey, storageSessionToken }: Config): StoreAccess {
  if (storageAccessKeyId === undefined || storageSecretKey === undefined) return { ca }
  const token = storageSessionToken === undefined ? {} : { sessionToken: storageSessionToken }
  return { ca, credentials: { accessKeyId: storageAccessKeyId, secretAccessKey: storageSecretKey, ...token } }
}
