import type { Destination } from '@mediamill/contract/endpoints/destination'
import { z } from 'zod'
import { seal, unseal } from '../accounts/seal.ts'

/** Encrypts a destination for its row. Whoever has its URL can write to the client's bucket. */
export function sealDestination(secretKey: string, accountId: number, { url, headers }: Destination): Buffer {
  return seal(secretKey, contextOf(accountId), JSON.stringify({ url, headers }), 'destinations')
}

/** The destination that a row holds. Throws when it was sealed with another SECRET_KEY, or is another account's. */
export function openDestination(secretKey: string, accountId: number, sealed: Buffer): Destination {
  return sealedDestination.parse(JSON.parse(unseal(secretKey, contextOf(accountId), sealed, 'destinations')))
}

const sealedDestination = z.strictObject({ url: z.string(), headers: z.record(z.string(), z.string()) })

const contextOf = (accountId: number) => `account ${accountId}`
