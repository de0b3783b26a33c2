import { formatDollars } from '@mediamill/contract/domain/money'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import type { CatalogOperation, CatalogParameter } from '@mediamill/contract/objects/catalog'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { z } from 'zod'

export function endpointLines(): string {
  return ENDPOINTS.map(({ name, description, price, priceUnit, paidOnly, body }) => {
    const { properties = {}, required = [], $defs = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
    const own = Object.entries(properties).map(([field, schema]) =>
      fieldOf(field, resolved(schema, $defs), required.includes(field)),
    )
    const takes = own.length === 0 ? '' : ` ${own.join('; ')}.`
    const cost = `${formatDollars(price)} a ${priceUnit}${paidOnly ? ', for accounts that have bought credit' : ''}`
    return `- POST /v1/${name}: ${description}${takes} ${cost}.`
  }).join('\n')
}

type Schema = z.core.JSONSchema.JSONSchema

function resolved(schema: z.core.JSONSchema._JSONSchema, definitions: Record<string, Schema>): Schema {
  if (typeof schema === 'boolean') return {}
  return definitions[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
}

function fieldOf(name: string, { type, minimum, maximum, properties }: Schema, required: boolean): string {
  const format = properties?.['format']
  const kind = typeof format === 'object' ? `{"format": ${(format.enum ?? []).join(' | ')}}` : String(type)
  const range = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}`
  return `\`${name}\` ${kind}${range}${required ? ', required' : ''}`
}

export function operationLines(): string {
  const { data } = presentCatalog()
  const media = [
    ['images', data.image.operations],
    ['videos', data.video.operations],
    ['PDFs', data.document.operations],
  ] as const
  return Object.entries({ ...data.document.operations, ...data.video.operations, ...data.image.operations })
    .map(([name, operation]) => {
      const on = media.filter(([, operations]) => operations[name] !== undefined).map(([medium]) => medium)
      return `- \`${name}\` (${on.join(', ')}): ${operation.description}${parametersOf(operation)}`
    })
    .join('\n')
}

function parametersOf({ params }: CatalogOperation): string {
  const all = Object.entries(params).map(([name, parameter]) => `\`${name}\` ${kindOf(parameter)}`)
  return all.length === 0 ? ' No parameters.' : ` ${all.join('; ')}.`
}

function kindOf({ type, minimum, maximum, enum: values, required, default: fallback }: CatalogParameter): string {
  const kind = values === undefined ? type : values.join(' | ')
  const range = minimum === undefined || maximum === undefined ? '' : ` ${minimum} to ${maximum}`
  const held = fallback === undefined ? '' : `, ${JSON.stringify(fallback)} when left out`
  return `${kind}${range}${required ? ', required' : held}`
}
