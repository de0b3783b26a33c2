import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { FlaggedOutput } from './output-flag.ts'
import { parseOutputFlag } from './output-flag.ts'

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
