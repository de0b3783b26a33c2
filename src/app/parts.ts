import { join } from 'node:path'
import type { Network } from '../sources/network.ts'
import { openDiskStore } from '../store/disk.ts'
import { openS3Store } from '../store/s3.ts'
import type { Store } from '../store/store.ts'
import type { HomeConfig } from './home.ts'

/** The internet as the settings let this service see it. */
export function networkOf(config: HomeConfig): Network {
  return { allowedHosts: config.allowedPrivateHosts }
}

/** Where the settings say that results are kept. */
export async function openStore(config: HomeConfig): Promise<Store> {
  if (config.storageUrl !== undefined) return await openS3Store(config.storageUrl)
  return await openDiskStore(join(config.dataDir, 'results'))
}
