import type { Command } from 'commander'
import { allOperations } from './catalog.ts'
import type { FlaggedOperation } from './operation-flags.ts'
import { operationFlags, parseOperationFlag } from './operation-flags.ts'

/** Adds a flag for each operation, and `--operation` for JSON. Returns a list that fills while Commander parses. */
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
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RangeError('It must be valid JSON.')
  }
  if (typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string') {
    return { ...value, type: value.type }
  }
  throw new RangeError('It must be an object with a type, such as {"type":"orient"}.')
}
