import { z } from 'zod'
import type { KeyRestrictions } from '../domain/key-restrictions.ts'
import { restrictableCalls } from '../domain/key-restrictions.ts'
import { parseDollars } from '../domain/money.ts'
import { isOrigin, toOrigin } from '../domain/uploads.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { templateReference } from '../endpoints/template-fields.ts'

const MAX_LIST = 20

const ADDRESS = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])

export const keyRestrictions = z.strictObject({
  endpoints: z
    .array(z.enum(restrictableCalls(ENDPOINTS)))
    .min(1)
    .max(MAX_LIST)
    .optional(),
  templates_only: z.union([z.boolean(), z.array(templateReference).min(1).max(MAX_LIST)]).optional(),
  mode_only: z.boolean().optional(),
  create_only: z.boolean().optional(),
  origins: z
    .array(
      z.string().refine(isOrigin, { error: 'must be an origin such as https://app.example.com' }).transform(toOrigin),
    )
    .min(1)
    .max(MAX_LIST)
    .optional(),
  addresses: z
    .array(
      z
        .string()
        .refine((text) => ADDRESS.safeParse(text).success, {
          error: 'must be an address or a CIDR block such as 203.0.113.0/24',
        })
        .refine((text) => !text.endsWith('/0'), { error: 'must not contain all addresses' }),
    )
    .min(1)
    .max(MAX_LIST)
    .optional(),
  daily_spend: z
    .string()
    .refine((text) => parseDollars(text) !== undefined, { error: 'must be dollars such as 5.00' })
    .optional(),
  expires_at: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2027-01-31T12:00:00Z' })
    .transform((text) => new Date(text).toISOString())
    // A UTC offset can move a time in the years 0000 and 9999 to a year that does not have four digits.
    .refine((text) => /^\d{4}-/.test(text), { error: 'must be in the years 0 to 9999' })
    .optional(),
})

export function restrictionsOf(given: KeyRestrictions): KeyRestrictions | undefined {
  const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== false)
  return set.length === 0 ? undefined : Object.fromEntries(set)
}
