import { z } from 'zod'
import { ENDPOINTS } from '../endpoints/index.ts'
import { kind, money } from './fields.ts'

const NAMES = ENDPOINTS.map(({ name }): string => name)
const UNITS = [...new Set(ENDPOINTS.map(({ priceUnit }): string => priceUnit))]

export const estimate = z
  .strictObject({
    object: kind('estimate'),
    endpoint: z.enum(NAMES).meta({ description: 'The endpoint of the estimate.' }),
    unit: z.enum(UNITS).meta({ description: 'Unit of the price.' }),
    unit_price: money.meta({ description: 'Price of one unit.' }),
    units: z
      .strictObject({
        minimum: z.int().positive().meta({ description: 'Minimum number of units that are charged.' }),
        maximum: z
          .int()
          .positive()
          .nullable()
          .meta({ description: 'Maximum number of units; null if it depends on the file.' }),
      })
      .meta({ id: 'EstimatedUnits', description: 'Number of units.' }),
    price: z
      .strictObject({
        minimum: money.meta({ description: 'Minimum charge; zero in test mode.' }),
        maximum: money.nullable().meta({ description: 'Maximum charge; null if it depends on the file.' }),
      })
      .meta({ id: 'EstimatedPrice', description: 'Charge if the request succeeds.' }),
    affordable: z.boolean().meta({ description: 'Whether the available credit is enough to start the request.' }),
  })
  .meta({ id: 'Estimate', description: 'The price of a call. An estimate starts and charges nothing.' })

export type EstimateBody = z.output<typeof estimate>
