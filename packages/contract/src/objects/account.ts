import { z } from 'zod'
import { TIERS } from '../domain/limits.ts'
import { id, kind, money, timestamp } from './fields.ts'

export const limits = z
  .strictObject({
    requests_per_minute: z.int().meta({ description: 'Calls in any 60 seconds.' }),
    concurrent_requests: z.int().meta({ description: 'Requests queued or processing at the same time.' }),
    max_source_bytes: z.int().meta({ description: 'Maximum size of a source in bytes.' }),
  })
  .meta({ id: 'Limits', description: 'Limits of the key used.' })

export const account = z
  .strictObject({
    object: kind('account'),
    id: id('Account identifier.', 1001),
    name: z.string().meta({ description: 'Name of the account.' }),
    email: z.string().meta({ description: 'Contact email address.' }),
    tier: z.enum(TIERS).meta({ description: '`paid` after credit has been bought.' }),
    balance: money.meta({ description: 'Current balance: payments minus charges.' }),
    held: money.meta({ description: 'Part of the balance that is held for open requests.' }),
    available: money.meta({
      description: 'Credit available for new requests: the balance minus holds. It can be negative.',
    }),
    webhook_url: z
      .string()
      .nullable()
      .meta({ format: 'uri', description: 'Default webhook URL for finished requests.' }),
    livemode: z.boolean().meta({ description: 'Mode of the key used.' }),
    limits,
    suspended: z.boolean().meta({ description: 'Whether calls of this account are rejected.' }),
    created_at: timestamp('Creation time.'),
  })
  .meta({ id: 'Account', description: 'The account of the key, its balance, and its limits.' })

export type AccountBody = z.output<typeof account>
export type LimitsBody = z.output<typeof limits>
