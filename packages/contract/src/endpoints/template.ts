import { z } from 'zod'
import type { InvalidField } from '../domain/errors.ts'
import { ApiError } from '../domain/errors.ts'
import { MAX_TEMPLATE, MAX_VARIABLE_LENGTH } from '../domain/limits.ts'
import { formatParam, quoteText } from '../lib/format-text.ts'
import { text } from './common-fields.ts'
import type { Endpoint } from './endpoint.ts'
import { hasTemplates, TEMPLATE, templateReference, VARIABLES } from './template-fields.ts'
import { parseBody, validationFailed } from './validation.ts'

export type Variable =
  | {
      type: 'integer' | 'number'
      default?: number | undefined
      minimum?: number | undefined
      maximum?: number | undefined
    }
  | { type: 'string'; default?: string | undefined; enum?: string[] | undefined; max_length?: number | undefined }
  | { type: 'boolean'; default?: boolean | undefined }

export type Variables = Readonly<Record<string, Variable>>

type TemplateVersion = {
  name: string
  version: number
  endpoint: string
  /** The fields of the endpoint. Each `{"variable": "width"}` is replaced with the value of that variable. */
  fields: Record<string, unknown>
  variables: Variables
}

type Expanded = {
  body: Record<string, unknown>
  reference: string
  /** Returns an error that names the variables instead of the fields that contain their values. */
  rename: (error: unknown) => unknown
}

export const referenceOf = ({ name, version }: Pick<TemplateVersion, 'name' | 'version'>) => `${name}@${version}`

export function variableSchema(variable: Variable): z.ZodType {
  switch (variable.type) {
    case 'integer':
    case 'number': {
      const { type, minimum, maximum } = variable
      const any = type === 'integer' ? z.int() : z.number()
      const bounded = minimum === undefined ? any : any.min(minimum)
      return maximum === undefined ? bounded : bounded.max(maximum)
    }
    case 'string':
      return variable.enum === undefined ? text(variable.max_length ?? MAX_VARIABLE_LENGTH) : z.enum(variable.enum)
    case 'boolean':
      return z.boolean()
  }
}

type TemplateCall = Record<string, unknown> & { template: string; variables: Record<string, unknown> }

/** Returns the body if it runs a template, otherwise `undefined`. Throws `validation_failed`. */
export function templateCall(endpoint: Endpoint, sent: unknown): TemplateCall | undefined {
  if (typeof sent !== 'object' || sent === null || !hasTemplates(endpoint)) return undefined
  if (!Object.hasOwn(sent, TEMPLATE) && !Object.hasOwn(sent, VARIABLES)) return undefined
  const { template, variables } = parseBody({ name: endpoint.name, schema: callFields }, sent)
  return { ...sent, template, variables }
}

// `valuesOf` checks the values of the variables, because the template declares their types.
const callFields = z.looseObject({
  template: templateReference,
  variables: z.record(z.string(), z.unknown()).default({}),
})

/** Returns the body with the template's fields and the values of its variables. Throws `validation_failed`. */
export function expandTemplate(endpoint: Endpoint, template: TemplateVersion, sent: TemplateCall): Expanded {
  const reference = referenceOf(template)
  const { [TEMPLATE]: _, [VARIABLES]: variables, ...body } = sent
  if (template.endpoint !== endpoint.name) {
    const message = `template ${reference} belongs to ${template.endpoint}. Call POST /v1/${template.endpoint}.`
    throw validationFailed([{ param: TEMPLATE, code: 'invalid_value', message }])
  }
  const replaced = Object.keys(endpoint.body.shape).filter((name) => Object.hasOwn(body, name))
  if (replaced.length > 0) {
    const rule = 'cannot be combined with template. Leave it out, or declare a variable in the template.'
    throw validationFailed(replaced.map((param) => ({ param, code: 'invalid_value', message: `${param} ${rule}` })))
  }
  const values = valuesOf(template, variables)
  const names = new Map<string, string>()
  const fields = substitute(template.fields, [], (name, path) => {
    names.set(path.join('.'), name)
    return values[name]
  })
  return { body: { ...body, ...(fields as object) }, reference, rename: renamer(names) }
}

function valuesOf(template: TemplateVersion, sent: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const shape = Object.fromEntries(
    Object.entries(template.variables).map(([name, variable]) => {
      const schema = variableSchema(variable)
      return [name, variable.default === undefined ? schema : schema.default(variable.default)]
    }),
  )
  const owner = {
    name: `template ${referenceOf(template)}`,
    schema: z.strictObject({ variables: z.strictObject(shape) }),
  }
  return parseBody(owner, { [VARIABLES]: sent })[VARIABLES]
}

/** Replaces each `{"variable": NAME}`. Leaves inserted values unchanged, even if they look like a variable. */
export function substitute(
  value: unknown,
  path: readonly PropertyKey[],
  valueOf: (variable: string, path: readonly PropertyKey[]) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((item, index) => substitute(item, [...path, index], valueOf))
  if (typeof value !== 'object' || value === null) return value
  const name = variableNamed(value)
  if (name !== undefined) return valueOf(name, path)
  const entries = Object.entries(value).map(([key, member]) => [key, substitute(member, [...path, key], valueOf)])
  return Object.fromEntries(entries)
}

function variableNamed(value: object): string | undefined {
  const [[key, name] = [], ...others] = Object.entries(value)
  return key === 'variable' && typeof name === 'string' && others.length === 0 ? name : undefined
}

/** Returns a function that makes errors name variables instead of fields. `names` maps field paths to variables. */
function renamer(names: ReadonlyMap<string, string>): Expanded['rename'] {
  const renamed = <Field extends Pick<InvalidField, 'param' | 'message'>>(field: Field): Field => {
    const name = [...names].find(([path]) => field.param === path || field.param.startsWith(`${path}.`))?.[1]
    if (name === undefined) return field
    const param = `${VARIABLES}.${name}`
    return { ...field, param, message: `${formatParam(param)}: ${field.message}` }
  }
  return (error) => {
    if (!(error instanceof ApiError) || error.param === undefined) return error
    const { param, message } = renamed({ param: error.param, message: error.message })
    const { errors, cause } = error
    return new ApiError(error.code, message, { param, cause, ...(errors && { errors: errors.map(renamed) }) })
  }
}

const sampleOf = (variable: Variable) =>
  variable.default ??
  (variable.type === 'string' ? variable.enum?.[0] : undefined) ??
  (variable.type === 'integer' || variable.type === 'number' ? (variable.minimum ?? variable.maximum) : undefined)

const PLAIN_VALUES = { integer: 1, number: 1, string: '', boolean: false } as const

/** Checks a template with sample values. A variable without a sample value is checked only for its type. */
export function checkTemplate(
  endpoint: Endpoint,
  { fields, variables }: Pick<TemplateVersion, 'fields' | 'variables'>,
): void {
  const bytes = new TextEncoder().encode(JSON.stringify({ fields, variables })).length
  if (bytes > MAX_TEMPLATE.bytes) {
    throw new ApiError('validation_failed', `A template must have at most ${MAX_TEMPLATE.bytes} bytes (got ${bytes}).`)
  }
  const undeclared: InvalidField[] = []
  const unknown = new Set<string>()
  const body = substitute(fields, [], (name, path) => {
    const param = path.join('.')
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (variable === undefined) {
      const message = `${formatParam(param)} uses the variable ${quoteText(name)}. Declare the variable in variables.`
      undeclared.push({ param, code: 'invalid_value', message })
      return null
    }
    const sample = sampleOf(variable)
    if (sample === undefined) unknown.add(param)
    return sample ?? PLAIN_VALUES[variable.type]
  })
  if (undeclared.length > 0) throw validationFailed(undeclared)
  const destinations = destinationsIn(fields)
  if (destinations.length > 0) {
    const message = (param: string) => `${formatParam(param)} cannot be part of a template: its URL is for one file.`
    throw validationFailed(destinations.map((param) => ({ param, code: 'invalid_value', message: message(param) })))
  }
  checkFields(endpoint, body, unknown)
}

function destinationsIn({ output, outputs }: Record<string, unknown>): string[] {
  const elements = Array.isArray(outputs) ? outputs : []
  const owners = [['output', output] as const, ...elements.map((element, at) => [`outputs.${at}`, element] as const)]
  return owners
    .filter(([, owner]) => typeof owner === 'object' && owner !== null && Object.hasOwn(owner, 'destination'))
    .map(([path]) => `${path}.destination`)
}

/** Checks the fields of a template. Values at the paths in `unknown` are placeholders: only their type can be wrong. */
function checkFields(endpoint: Endpoint, body: unknown, unknown: ReadonlySet<string>): void {
  try {
    parseBody({ name: endpoint.name, schema: endpoint.body, endpoint }, body)
  } catch (error) {
    if (!(error instanceof ApiError) || error.errors === undefined) throw error
    const errors = error.errors.filter(({ param, code }) => code === 'invalid_type' || !unknown.has(param))
    if (errors.length > 0) throw validationFailed(errors)
  }
}
