import type { CatalogOperation, CatalogParameter } from '@mediamill/contract/objects/catalog'
import type { Command } from 'commander'
import { allOperations } from './catalog.ts'
import { parseJson, parseWord, splitWords } from './parameter-words.ts'

export type FlaggedOperation = { type: string } & Record<string, unknown>

type OperationFlag = {
  operation: string
  /** The flag without dashes, such as `remove-background`. */
  flag: string
  /** The description of the value, such as `WIDTHxHEIGHT[,crop_center]`. Undefined if the flag has no value. */
  value: string | undefined
  description: string
}

type Operations = Readonly<Record<string, CatalogOperation>>

export function operationFlags(operations: Operations): OperationFlag[] {
  return Object.entries(operations).map(([operation, { description, params }]) => ({
    operation,
    flag: operation.replaceAll('_', '-'),
    value: Object.keys(params).length === 0 ? undefined : valueOf(params),
    description,
  }))
}

/**
 * Parses a flag's value: words separated by commas, such as `800x600,crop_center` for `--resize`. `WxH+X+Y` sets
 * `width`, `height`, `x`, and `y`. `name=value` sets any parameter. The name of a boolean sets it to true. Other words
 * set the required parameters in order. Throws `RangeError` with a message for the user.
 */
export function parseOperationFlag(operation: string, text: string, operations: Operations): FlaggedOperation {
  const found = Object.hasOwn(operations, operation) ? operations[operation] : undefined
  if (found === undefined) throw new RangeError(`Unknown operation: ${operation}.`)
  const { params } = found
  const flag = operation.replaceAll('_', '-')
  // Commander reads the next option as the value.
  if (/^--?[a-z]/i.test(text)) throw new RangeError(`--${flag} needs a value, such as --${flag} ${valueOf(params)}`)
  const set = new Map<string, unknown>()
  for (const word of splitWords(text)) {
    for (const [name, value] of parseWord(word, params, set)) {
      if (set.has(name)) throw new RangeError(`${name} is given twice.`)
      set.set(name, value)
    }
  }
  const missing = Object.keys(params).filter((name) => params[name]?.required === true && !set.has(name))
  if (missing.length > 0) {
    throw new RangeError(
      `${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing: --${flag} ${valueOf(params)}`,
    )
  }
  return { type: operation, ...Object.fromEntries(set) }
}

function valueOf(params: CatalogOperation['params']): string {
  const required = Object.keys(params).filter((name) => params[name]?.required)
  const optional = Object.entries(params).filter(([, param]) => !param.required)
  const box = [
    ['width', 'height', 'x', 'y'],
    ['width', 'height'],
  ].find((names) => names.every((name) => required.includes(name)))
  const words = [
    ...(box === undefined ? [] : [box.length === 4 ? 'WIDTHxHEIGHT+X+Y' : 'WIDTHxHEIGHT']),
    ...required.filter((name) => box?.includes(name) !== true).map((name) => name.toUpperCase()),
  ]
  const rest = optional.map(([name, param]) => optionalWord(name, param))
  // The flag needs a value, so show the first optional parameter as required.
  if (words.length === 0) words.push(...rest.splice(0, 1))
  return `${words.join(',')}${rest.map((word) => `[,${word}]`).join('')}`
}

function optionalWord(name: string, { type, default: fallback }: CatalogParameter): string {
  if (type !== 'boolean') return `${name}=${type === 'string' ? 'TEXT' : 'N'}`
  return fallback === true ? `${name}=false` : name
}

const listed = (names: readonly string[]) => new Intl.ListFormat('en').format(names)

/** Adds a flag for each operation. Returns the operations, a list that fills while Commander parses. */
export function addOperationFlags(command: Command): FlaggedOperation[] {
  const operations: FlaggedOperation[] = []
  const catalog = allOperations()
  for (const { operation, flag, value, description } of operationFlags(catalog)) {
    const means = value === undefined ? description : `${value}\n${description}`
    command.option(value === undefined ? `--${flag}` : `--${flag} <value>`, means)
    // Commander's options lose the order of different flags. Its events keep the order of the command line.
    command.on(`option:${flag}`, (text?: string) => {
      operations.push(
        parseOrReject(command, `--${flag} ${text ?? ''}`, () => parseOperationFlag(operation, text ?? '', catalog)),
      )
    })
  }
  command.option('--operation <json>', 'add an operation as JSON, such as \'{"type":"orient"}\'')
  command.on('option:operation', (text: string) => {
    operations.push(parseOrReject(command, `--operation ${text}`, () => parseOperationJson(text)))
  })
  return operations
}

function parseOrReject<Result>(command: Command, typed: string, parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) command.error(`error: ${typed.trim()}: ${error.message}`)
    throw error
  }
}

function parseOperationJson(text: string): FlaggedOperation {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
    return { ...value, type: value.type }
  }
  throw new RangeError('It must be an object with a type, such as {"type":"orient"}.')
}
