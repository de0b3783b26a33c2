import { FORMATS_OF_OUTPUTS, OUTPUT_NAME } from '@mediamill/contract/domain/media'
import type { CatalogParameter } from '@mediamill/contract/objects/catalog'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { formatNamed, shippedCatalog } from './catalog.ts'
import type { FlaggedOperation } from './operation-flags.ts'
import { parseOperationFlag } from './operation-flags.ts'
import { nearest, parseJson, parseValue, splitWords } from './parameter-words.ts'

export type FlaggedOutput = { name?: string; format?: string; operations?: readonly FlaggedOperation[] } & Record<
  string,
  unknown
>

const param = (type: string, bounds: Partial<CatalogParameter> = {}): CatalogParameter => ({
  description: '',
  required: false,
  type,
  ...bounds,
})

/** The fields that `--output` can set, besides operations. The service validates their values. */
const FIELDS: Readonly<Record<string, CatalogParameter>> = {
  name: param('string'),
  format: param('string', { enum: [...FORMATS_OF_OUTPUTS] }),
  quality: param('string'),
  max_bytes: param('integer'),
  max_bytes_resize: param('boolean'),
  metadata: param('string'),
}

/** Parses `name=large,format=webp,resize=1600x1600`, or JSON. Operations run in order. Throws `RangeError`. */
export function parseOutputFlag(text: string): FlaggedOutput {
  const output = text.trimStart().startsWith('{') ? (parseJson(text) as FlaggedOutput) : parseWords(text)
  if (output.name !== undefined && !OUTPUT_NAME.test(output.name))
    throw new RangeError(`name must have 1 to 64 characters of a-z, 0-9, _, and -, not ${JSON.stringify(output.name)}.`)
  if (Object.hasOwn(output, 'destination'))
    throw new RangeError('destination is not supported here: the command saves the file itself.')
  return output
}

function parseWords(text: string): FlaggedOutput {
  const { operations: catalog } = shippedCatalog().image
  const fields = new Map<string, unknown>()
  const operations: FlaggedOperation[] = []
  for (const word of splitWords(text)) {
    const [, typed = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? []
    const name = typed.replaceAll('-', '_')
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    if (Object.hasOwn(catalog, name)) operations.push(parseOperationFlag(name, value ?? '', catalog))
    else if (field === undefined) throw unknown(typed, Object.keys(catalog))
    else if (fields.has(name)) throw new RangeError(`${name} is given twice.`)
    else fields.set(name, parseField(name, value, field))
  }
  return { ...Object.fromEntries(fields), ...(operations.length > 0 && { operations }) }
}

function parseField(name: string, value: string | undefined, field: CatalogParameter): unknown {
  if (value === undefined && field.type === 'boolean') return true
  const parsed = parseValue(name, name === 'format' ? formatNamed(value ?? '') : (value ?? ''), field)
  return name === 'quality' && /^\d+$/.test(String(parsed)) ? Number(parsed) : parsed
}

function unknown(typed: string, operations: readonly string[]): RangeError {
  const near = nearest(typed, [...Object.keys(FIELDS), ...operations])
  const hint = near === undefined ? `Fields: ${Object.keys(FIELDS).join(', ')}.` : `Did you mean ${near}?`
  return new RangeError(
    `${JSON.stringify(typed)} is neither a field of an output nor an operation. ${hint} Use -o for the path of the results.`,
  )
}

export type OutputOptions = { output?: readonly FlaggedOutput[] }

export function addOutputFlag(command: Command): void {
  command.option(
    '--output <fields>',
    'make this file, such as name=small,format=webp,resize=800x800,quality=auto; repeatable',
    collect,
  )
}

function collect(text: string, before: readonly FlaggedOutput[] = []): readonly FlaggedOutput[] {
  try {
    return [...before, parseOutputFlag(text)]
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(error.message)
    throw error
  }
}

export const OUTPUT_HELP = `
Each --output makes one file with its own fields and operations: name, format, quality, max_bytes, max_bytes_resize,
metadata, and operations such as resize=800x800. Write a backslash before a comma in the value of an operation, or pass
the output as JSON.`
