import { FORMATS_OF_OUTPUTS, OUTPUT_NAME } from '@mediamill/contract/domain/media'
import type { CatalogParameter } from '@mediamill/contract/objects/catalog'
import { formatNamed, shippedCatalog } from './catalog.ts'
import type { FlaggedOperation } from './operation-flags.ts'
import { parseOperationFlag } from './operation-flags.ts'
import { nearest, parseValue, splitWords } from './parameter-words.ts'

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

/** The fields that `--output` can set. The service validates their values. Operations are not in this list. */
const FIELDS: Readonly<Record<string, CatalogParameter>> = {
  name: param('string'),
  format: param('string', { enum: [...FORMATS_OF_OUTPUTS] }),
  quality: param('string'),
  max_bytes: param('integer'),
  max_bytes_resize: param('boolean'),
  metadata: param('string'),
}

/**
 * Parses `--output`, such as `name=large,format=webp,resize=1600x1600,quality=auto`, or JSON. Each word sets a field or
 * adds an operation. Operations run in the order of the words. Throws `RangeError` with a message for the user.
 */
export function parseOutputFlag(text: string): FlaggedOutput {
  const output = text.trimStart().startsWith('{') ? parseJson(text) : parseWords(text)
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

function parseJson(text: string): FlaggedOutput {
  try {
    return JSON.parse(text) as FlaggedOutput
  } catch {
    throw new RangeError('It must be valid JSON.')
  }
}
