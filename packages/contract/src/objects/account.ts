import { z } from 'zod'
import { TIERS } from '../domain/limits.ts'
import { id, kind, timestamp } from './fields.ts'
import { money } from './money.ts'

/** The limits of a key. */
export const limits = z
  .strictObject({
    requests_per_minute: z.int().meta({ description: 'Calls in any 60 seconds.' }),
    concurrent_requests: z.int().meta({ description: 'Requests queued or processing at once.' }),
    max_source_bytes: z.int().meta({ description: 'Size of the largest source in bytes.' }),
  })
  .meta({ id: 'Limits', description: 'What the key used may do.' })

/** Spec 2.5. */
export const account = z
  .strictObject({
    object: kind('account'),
    id: id('Identifier of the account.', 1001),
    name: z.string().meta({ description: 'Its name.' }),
    email: z.string().meta({ description: 'Where its owner is reached.' }),
    tier: z.enum(TIERS).meta({ description: '`paid` once credit has been bought.' }),
    balance: money.meta({ description: 'What was paid in and not charged.' }),
    held: money.meta({ description: 'What open requests hold of the balance until they end.' }),
    available: money.meta({
      description: 'What new requests may hold: the balance without what is held. It can be negative.',
    }),
    webhook_url: z
      .string()
      .nullable()
      .meta({ format: 'uri', description: 'Where finished requests are posted by default.' }),
    livemode: z.boolean().meta({ description: 'Mode of the key used.' }),
    limits,
    suspended: z.boolean().meta({ description: 'Whether its calls are refused.' }),
    created_at: timestamp('When it was opened.'),
  })
  .meta({ id: 'Account', description: 'Who calls, and what it may do.' })

export type AccountBody = z.output<typeof account>
export type LimitsBody = z.output<typeof limits>
