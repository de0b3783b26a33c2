import { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { OPERATIONS } from '../operations/index.ts'
import type { Operation } from '../operations/operation.ts'
import { supports } from '../operations/operation.ts'
import type { CatalogBody, CatalogMedium, CatalogParameter } from './catalog.ts'

export function presentCatalog(operations = OPERATIONS): CatalogBody {
  const present = (media: MediaType) => presentMedium(media, operations)
  return {
    object: 'operations',
    data: { image: present('image'), video: present('video'), document: present('document') },
  }
}

function presentMedium(media: MediaType, listed: readonly Operation[]): CatalogMedium {
  const operations = listed
    .filter((operation) => supports(operation, media))
    .map(
      (operation) => [operation.name, { description: operation.description, params: parametersOf(operation) }] as const,
    )
  return { formats: [...OUTPUT_FORMATS[media]], operations: Object.fromEntries(operations) }
}

function parametersOf(operation: Operation): Record<string, CatalogParameter> {
  const { properties = {}, required = [] } = z.toJSONSchema(operation.params, { io: 'input' })
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, presentParameter(schema, required.includes(name))]),
  )
}

function presentParameter(schema: z.core.JSONSchema._JSONSchema, required: boolean): CatalogParameter {
  if (typeof schema === 'boolean') throw new TypeError('a parameter needs a type')
  const { description = '', type, minimum, maximum } = schema
  if (typeof type !== 'string') throw new TypeError('a parameter must have a single type')
  return {
    description,
    required,
    ...(schema.default !== undefined && { default: schema.default }),
    type,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(schema.enum !== undefined && { enum: schema.enum }),
  }
}
