import { z } from 'zod'
import { ENDPOINTS } from '../endpoints/index.ts'
import { kind } from './fields.ts'
import { money } from './money.ts'

const NAMES = ENDPOINTS.map(({ name }): string => name)
const UNITS = [...new Set(ENDPOINTS.map(({ priceUnit }): string => priceUnit))]

/** Rulings 16: what a call would cost. */
export const estimate = z
  .strictObject({
    object: kind('estimate'),
    endpoint: z.enum(NAMES).meta({ description: 'The endpoint that was asked about.' }),
    unit: z.enum(UNITS).meta({ description: 'What its price is counted in.' }),
    unit_price: money.meta({ description: 'What one unit costs.' }),
    units: z
      .strictObject({
        minimum: z.int().positive().meta({ description: 'The least that it can be.' }),
        maximum: z.int().positive().nullable().meta({ description: 'The most; null where only the file can tell.' }),
      })
      .meta({ id: 'EstimatedUnits', description: 'How many units it would be.' }),
    price: z
      .strictObject({
        minimum: money.meta({ description: 'The least that would be charged; zero in test mode.' }),
        maximum: money.nullable().meta({ description: 'The most; null where only the file can tell.' }),
      })
      .meta({ id: 'EstimatedPrice', description: 'What would be charged if it succeeds.' }),
    affordable: z.boolean().meta({ description: 'Whether the credit that is available now lets it start.' }),
  })
  .meta({ id: 'Estimate', description: 'What a call would cost; asking starts and charges nothing.' })

/** An estimate as it is answered. */
export type EstimateBody = z.output<typeof estimate>
