import { z } from 'zod'
import { kind } from './fields.ts'

const parameter = z
  .strictObject({
    description: z.string().meta({ description: 'Description.' }),
    required: z.boolean().meta({ description: 'Whether the operation requires the parameter.' }),
    default: z.unknown().optional().meta({ description: 'Default value.' }),
    type: z.string().meta({ description: 'JSON type of the value.', examples: ['integer'] }),
    minimum: z.number().optional().meta({ description: 'Smallest value.' }),
    maximum: z.number().optional().meta({ description: 'Largest value.' }),
    enum: z.array(z.unknown()).optional().meta({ description: 'All values.' }),
  })
  .meta({ id: 'CatalogParameter', description: 'A parameter of an operation.' })

const operation = z
  .strictObject({
    description: z.string().meta({ description: 'Description.' }),
    params: z.record(z.string(), parameter).meta({ description: 'Parameters by name.' }),
  })
  .meta({ id: 'CatalogOperation', description: 'An operation.' })

const medium = z
  .strictObject({
    formats: z.array(z.string()).meta({ description: 'Output formats, the default first.' }),
    operations: z.record(z.string(), operation).meta({ description: 'Operations by name.' }),
  })
  .meta({ id: 'CatalogMedium', description: 'The operations for one kind of file.' })

export const catalog = z
  .strictObject({
    object: kind('operations'),
    data: z
      .strictObject({
        image: medium.meta({ description: 'Operations for images.' }),
        video: medium.meta({ description: 'Operations for videos.' }),
        document: medium.meta({ description: 'Operations for PDFs.' }),
      })
      .meta({ id: 'CatalogData', description: 'Operations by kind of file.' }),
  })
  .meta({ id: 'Catalog', description: 'Every operation, with its parameters and their bounds.' })

export type CatalogBody = z.output<typeof catalog>
export type CatalogOperation = z.output<typeof operation>
export type CatalogParameter = z.output<typeof parameter>
export type CatalogMedium = z.output<typeof medium>
