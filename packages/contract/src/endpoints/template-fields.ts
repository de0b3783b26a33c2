import { z } from 'zod'
import { commonFields } from './common-fields.ts'
import type { Endpoint } from './endpoint.ts'

export const TEMPLATE = 'template'
export const VARIABLES = 'variables'

export const TEMPLATE_NAME = /^[a-z0-9_-]{1,64}$/
export const TEMPLATE_REFERENCE = /^([a-z0-9_-]{1,64})(?:@([1-9]\d{0,8}))?$/
/** Matches a variable name. Excludes `constructor`, because every JavaScript object has that property. */
export const VARIABLE_NAME = /^(?!constructor$)[a-z][a-z0-9_]{0,63}$/

export function parseReference(reference: string): { name: string; version: number | null } | undefined {
  const [, name, version] = TEMPLATE_REFERENCE.exec(reference) ?? []
  return name === undefined ? undefined : { name, version: version === undefined ? null : Number(version) }
}

export const templateReference = z.string().regex(TEMPLATE_REFERENCE, {
  error: 'must be the name of a template, such as product for its newest version, or product@3',
})

const variableValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

export const templateFields = {
  [TEMPLATE]: templateReference.meta({
    description: 'Template of the account, such as `product@3`, or `product` for its newest version.',
  }),
  [VARIABLES]: variableValues.optional().meta({ description: 'Values of the variables of the template.' }),
}

export const templateBody = z
  .strictObject({ ...commonFields, ...templateFields })
  .meta({ id: 'TemplateBody', description: 'Runs a template of the account, which must be for this endpoint.' })

export const hasTemplates = ({ name }: Pick<Endpoint, 'name'>) => !name.endsWith('/read')

const inputSchemas = new Map<string, z.ZodObject>()

export function inputSchema(endpoint: Endpoint): z.ZodObject {
  const schema = inputSchemas.get(endpoint.name) ?? (hasTemplates(endpoint) ? withTemplate(endpoint) : endpoint.body)
  inputSchemas.set(endpoint.name, schema)
  return schema
}

const withTemplate = ({ body }: Endpoint) =>
  body.extend({
    [TEMPLATE]: z.string().optional().meta({ description: 'Template that these fields come from, with its version.' }),
  })
