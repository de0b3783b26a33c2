import { z } from 'zod'
import { kind } from './fields.ts'

const parameter = z
  .strictObject({
    description: z.string().meta({ description: 'What it does.' }),
    required: z.boolean().meta({ description: 'Whether it must be sent.' }),
    default: z.unknown().optional().meta({ description: 'What holds when it is not sent.' }),
    type: z.string().meta({ description: 'Its JSON type.', examples: ['integer'] }),
    minimum: z.number().optional().meta({ description: 'Smallest value.' }),
    maximum: z.number().optional().meta({ description: 'Largest value.' }),
    enum: z.array(z.unknown()).optional().meta({ description: 'All values.' }),
  })
  .meta({ id: 'CatalogParameter', description: 'A parameter of an operation.' })

const operation = z
  .strictObject({
    description: z.string().meta({ description: 'What it does.' }),
    params: z.record(z.string(), parameter).meta({ description: 'Its parameters, by name.' }),
  })
  .meta({ id: 'CatalogOperation', description: 'An operation.' })

const medium = z
  .strictObject({
    formats: z.array(z.string()).meta({ description: 'Output formats, the default first.' }),
    operations: z.record(z.string(), operation).meta({ description: 'Its operations, by name.' }),
  })
  .meta({ id: 'CatalogMedium', description: 'What can be done with one kind of file.' })

/** Spec 2.7. */
export const catalog = z
  .strictObject({
    object: kind('operations'),
    data: z
      .strictObject({
        image: medium.meta({ description: 'What can be done with images.' }),
        video: medium.meta({ description: 'What can be done with videos.' }),
        document: medium.meta({ description: 'What can be done with PDFs.' }),
      })
      .meta({ id: 'CatalogData', description: 'By kind of file.' }),
  })
  .meta({ id: 'Catalog', description: 'Every operation, with its parameters and their bounds.' })

export type CatalogBody = z.output<typeof catalog>
export type CatalogOperation = z.output<typeof operation>
export type CatalogParameter = z.output<typeof parameter>
export type CatalogMedium = z.output<typeof medium>
