import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import type { Template, TemplateVariable } from '@mediamill/sdk/src/api-types'
import { parseValue } from '../operations/parameter-words.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import { connect } from '../remote/connect.ts'
import { templateNamed } from '../remote/template-named.ts'
import { UsageError } from '../usage-error.ts'
import type { BatchSettings, OpenedTemplate } from './batch-settings.ts'
import type { ProcessingOptions } from './processing-options.ts'

/** Reads the template. Throws `UsageError` if it is for another command, or an option cannot be combined with it. */
export async function openTemplate(
  { verb, operations, outputs, fields }: Pick<BatchSettings, 'verb' | 'operations' | 'outputs' | 'fields'>,
  options: ProcessingOptions,
): Promise<OpenedTemplate | undefined> {
  if (options.template === undefined) {
    if (options.variable !== undefined) throw new UsageError('--variable needs --template.')
    return undefined
  }
  if (options.local === true) throw new UsageError('Templates are stored on a server: leave out --local.')
  const replaced = operations.length > 0 || outputs !== undefined || options.format !== undefined
  if (replaced || Object.values(fields).some((value) => value !== undefined)) {
    throw new UsageError(
      '--template cannot be combined with operations, --output, --format, --at, --page, --level, --max-duration, or --max-pages. Leave them out. To change a value of the template, use --variable.',
    )
  }
  const { service } = await connect(options)
  const template = await templateNamed(options.template, service.templates.retrieve(options.template))
  const [group = '', name = ''] = template.endpoint.split('/')
  if (name !== verb)
    throw new UsageError(`The template ${template.id} is for ${template.endpoint}: use mediamill ${name}.`)
  const media = MEDIA_TYPES.find((type) => group === `${type}s`)
  if (media === undefined) {
    throw new UsageError(
      `The template ${template.id} is for ${template.endpoint}, which this version of mediamill does not support. Update mediamill.`,
    )
  }
  const variables = parseVariables(template, options.variable ?? {})
  return { id: template.id, media, variables, files: filesOf(template, variables) }
}

function parseVariables(
  { id, variables }: Template,
  typed: Readonly<Record<string, string | undefined>>,
): OpenedTemplate['variables'] {
  const names = Object.keys(variables)
  const unknown = Object.keys(typed).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'It has no variables.' : `Its variables: ${names.join(', ')}.`
    throw new UsageError(`The template ${id} has no variable ${JSON.stringify(unknown)}. ${known}`)
  }
  const missing = names.filter((name) => variables[name]?.default === undefined && typed[name] === undefined)
  if (missing.length > 0)
    throw new UsageError(`The template ${id} needs ${missing.map((name) => `--variable ${name}=…`).join(' ')}.`)
  const parsed = Object.entries(variables).flatMap(([name, variable]) => {
    const text = typed[name]
    return text === undefined ? [] : [[name, parseVariable(name, text, variable)] as const]
  })
  return Object.fromEntries(parsed)
}

function parseVariable(name: string, text: string, variable: TemplateVariable): string | number | boolean {
  try {
    const value = parseValue(name, text, { required: false, ...variable, description: '' })
    return value as string | number | boolean
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--variable ${error.message}`)
    throw error
  }
}

function filesOf(template: Template, values: OpenedTemplate['variables']): readonly NamedFile[] {
  const textOf = (value: unknown, fallback: string): string => {
    if (typeof value === 'string') return value
    if (typeof value !== 'object' || value === null || !('variable' in value)) return fallback
    const name = String(value.variable)
    return String(values[name] ?? template.variables[name]?.default ?? fallback)
  }
  const { outputs, output = {} } = template
  const format = FORMATS[template.endpoint] ?? 'jpg'
  if (outputs === undefined) return [{ format: textOf(output['format'], format) }]
  return outputs.map((one, index) => ({
    name: textOf(one['name'], String(index)),
    format: textOf(one['format'], format),
  }))
}

/** The default output formats by endpoint. Other endpoints default to `jpg`. */
const FORMATS: Readonly<Record<string, string>> = { 'videos/process': 'mp4', 'documents/process': 'pdf' }
