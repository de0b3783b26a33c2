import { z } from 'zod'
import { MAX_TEMPLATE, MAX_VARIABLE_LENGTH } from '../domain/limits.ts'
import type { EndpointName } from '../endpoints/index.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import type { Variable } from '../endpoints/template.ts'
import { variableSchema } from '../endpoints/template.ts'
import { TEMPLATE_NAME, VARIABLE_NAME } from '../endpoints/template-fields.ts'
import { kind, timestamp } from './fields.ts'

const NAMES = ENDPOINTS.map(({ name }) => name).filter((name) => !name.endsWith('/read'))

const description = z
  .string()
  .max(MAX_TEMPLATE.descriptionLength)
  .optional()
  .meta({ description: 'Purpose of the variable.' })
const fallback = 'Value if a call does not send the variable. Without a default, each call must send it.'
const value = z.string().max(MAX_VARIABLE_LENGTH)

const numeric = <const Type extends 'integer' | 'number'>(type: Type, amount: z.ZodNumber) =>
  z.strictObject({
    type: z.literal(type).meta({ description: `Always \`${type}\`.` }),
    default: amount.optional().meta({ description: fallback }),
    minimum: amount.optional().meta({ description: 'Smallest value.' }),
    maximum: amount.optional().meta({ description: 'Largest value.' }),
    description,
  })

const variable = z
  .discriminatedUnion('type', [
    numeric('integer', z.int()).meta({ id: 'IntegerVariable', description: 'An integer.' }),
    numeric('number', z.number()).meta({ id: 'NumberVariable', description: 'A number.' }),
    z
      .strictObject({
        type: z.literal('string').meta({ description: 'Always `string`.' }),
        default: value.optional().meta({ description: fallback }),
        enum: z.array(value).min(1).max(MAX_TEMPLATE.values).optional().meta({ description: 'The allowed values.' }),
        max_length: z
          .int()
          .min(1)
          .max(MAX_VARIABLE_LENGTH)
          .optional()
          .meta({ description: 'Maximum length in characters.' }),
        description,
      })
      .meta({ id: 'StringVariable', description: 'A text, such as a color, a format, or a URL.' }),
    z
      .strictObject({
        type: z.literal('boolean').meta({ description: 'Always `boolean`.' }),
        default: z.boolean().optional().meta({ description: fallback }),
        description,
      })
      .meta({ id: 'BooleanVariable', description: 'True or false.' }),
  ])
  .superRefine((declared, context) => {
    const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    const { minimum = -Infinity, maximum = Infinity } = declared as { minimum?: number; maximum?: number }
    if (minimum > maximum) return report('minimum', `must be at most maximum (got ${minimum} and ${maximum})`)
    if (declared.default === undefined) return
    if (!variableSchema(declared as Variable).safeParse(declared.default).success) {
      report('default', 'must be a value that the variable allows')
    }
  })
  .meta({ id: 'TemplateVariable', description: 'A value that calls of the template choose.' })

const VARIABLE_NAMES = 'a name of 1 to 64 characters of a-z, 0-9, and _, with a letter first, other than constructor'

const variables = z
  .record(z.string().regex(VARIABLE_NAME), variable, {
    error: ({ code }) => (code === 'invalid_key' ? `must have ${VARIABLE_NAMES}` : undefined),
  })
  .refine((declared) => Object.keys(declared).length <= MAX_TEMPLATE.variables, {
    error: `must have at most ${MAX_TEMPLATE.variables} variables`,
    params: { code: 'too_long' },
  })
  .optional()
  .meta({
    description: 'Variables by name. `{"variable": "NAME"}` can replace the value of any field.',
  })

const part = z.record(z.string(), z.unknown())
const number = z.union([z.int(), z.strictObject({ variable: z.string() })]).optional()

/** The endpoint's fields in a template. The service validates them after values have replaced the variables. */
const fields = {
  operations: z.array(part).optional().meta({ description: 'Operations, as in a body of the endpoint.' }),
  output: part.optional().meta({ description: 'Output, as in a body of the endpoint, without `destination`.' }),
  outputs: z
    .array(part)
    .optional()
    .meta({ description: 'Outputs, as in a body of the endpoint, without `destination`.' }),
  seconds: number.meta({ description: 'For videos/screenshot.' }),
  max_duration: number.meta({ description: 'For videos/process.' }),
  page: number.meta({ description: 'For documents/snapshot.' }),
  max_pages: number.meta({ description: 'For documents/process.' }),
}

const name = z.string().regex(TEMPLATE_NAME, { error: 'must have 1 to 64 characters of a-z, 0-9, _, and -' })

const endpoint = z.enum(NAMES as [EndpointName, ...EndpointName[]])

export const newTemplate = z
  .strictObject({
    name: name.meta({ description: 'Name, 1 to 64 characters of `a-z0-9_-`. An existing name gets a new version.' }),
    endpoint: endpoint.default('images/process').meta({ description: 'The endpoint that runs the template.' }),
    ...fields,
    variables,
  })
  .meta({ id: 'NewTemplate', description: 'A template: the fields of a processing call, with variables.' })

/** The schema of a variable in a response. `echo` makes the OpenAPI document reuse the schema of a sent variable. */
const shownVariable = z
  .custom<Variable>((value) => variable.safeParse(value).success)
  .meta({ echo: 'TemplateVariable' })

export const template = z
  .strictObject({
    id: z.string().meta({ description: 'Name and version, for the field `template`.', examples: ['product@3'] }),
    object: kind('template'),
    name: z.string().meta({ description: 'Name.' }),
    version: z.int().meta({ description: 'Version, from 1.' }),
    endpoint: endpoint.meta({ description: 'The endpoint that runs the template.' }),
    ...fields,
    variables: z.record(z.string(), shownVariable).meta({ description: 'Variables by name.' }),
    created_at: timestamp('Creation time of this version.'),
  })
  .meta({ id: 'Template', description: 'A version of a template. Versions never change.' })

export type TemplateShape = z.output<typeof template>

export const deletedTemplate = z
  .strictObject({
    name: z.string().meta({ description: 'Name.' }),
    object: kind('template'),
    deleted: z.literal(true).meta({ description: 'Always true.' }),
  })
  .meta({ id: 'DeletedTemplate', description: 'A deleted template.' })

export const EXAMPLE_NEW_TEMPLATE = {
  name: 'product',
  endpoint: 'images/process' as const,
  operations: [{ type: 'orient' }, { type: 'resize', width: { variable: 'width' }, height: 2000 }],
  output: { format: 'webp' },
  variables: { width: { type: 'integer' as const, default: 800, minimum: 100, maximum: 2000 } },
}

export const EXAMPLE_TEMPLATE: TemplateShape = {
  id: 'product@3',
  object: 'template',
  version: 3,
  ...EXAMPLE_NEW_TEMPLATE,
  created_at: '2026-11-21T09:30:00.120Z',
}
