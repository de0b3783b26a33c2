import type { Destination } from '@mediamill/contract/endpoints/destination'
import { z } from 'zod'
import { accountContext, seal, unseal } from '../accounts/seal.ts'
import type { Sealed } from '../db/sealed-values.ts'

export type FileDestination = Destination & { file: number }

export type SealedDestinations = Sealed

export function sealDestinations(
  secretKey: string,
  accountId: number,
  list: readonly FileDestination[],
): SealedDestinations {
  const [only, ...others] = list
  // Older workers can only read the format of a single destination for the first file.
  const isOne = only !== undefined && only.file === 0 && others.length === 0
  const sealed = isOne
    ? { url: only.url, headers: only.headers }
    : list.map(({ file, url, headers }) => ({ file, url, headers }))
  return seal(secretKey, accountContext(accountId), JSON.stringify(sealed), 'destinations')
}

export function openDestinations(secretKey: string, accountId: number, sealed: Buffer): FileDestination[] {
  const opened = sealedDestinations.parse(
    JSON.parse(unseal(secretKey, accountContext(accountId), sealed, 'destinations')),
  )
  return Array.isArray(opened) ? opened : [{ file: 0, ...opened }]
}

const sealedDestination = z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) })
const sealedDestinations = z.union([sealedDestination, z.array(sealedDestination.extend({ file: z.int().min(0) }))])
