import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { MediaType } from '../../../domain/media.ts'
import { MEDIA_TYPES } from '../../../domain/media.ts'
import type { Language } from '../print/languages.ts'
import { LANGUAGES } from '../print/languages.ts'
import { addServiceOptions } from '../remote/service-options.ts'

/** What every verb that works on files takes. */
export type WorkOptions = {
  url?: string
  profile?: string
  out?: string
  format?: string
  force?: true
  media?: MediaType
  concurrency?: number
  customer?: string
  metadata?: Record<string, string>
  webhookUrl?: string
  json?: true
  estimate?: true
  print?: Language
  fresh?: true
  local?: true
}

/** Gives a verb the options that it shares with the others. */
export function addWorkOptions(
  command: Command,
  { makesFile, hasLocal }: { makesFile: boolean; hasLocal: boolean },
): void {
  if (makesFile) {
    command
      .option('-o, --out <where>', "a file, a folder/, a template such as 'out/{name}.{ext}', or - for stdout")
      .option('--format <format>', 'the format of the result, such as webp; jpg, mp4 or pdf when it is left out')
      .option('--force', 'write over files that are there')
  }
  command.addOption(new Option('--media <kind>', 'what the inputs are, where a URL does not tell').choices(MEDIA_TYPES))
  if (hasLocal) command.option('--local', 'work with the engines of this machine: no service, no key, no charge')
  addServiceOptions(command)
  command
    .option('--concurrency <n>', "how many are worked on at once; the account's limit by default", wholeNumber)
    .option('--customer <text>', 'your own customer, for the usage report')
    .option('--metadata <name=value>', 'your own note on the request; may be given several times', notes)
    .option('--webhook-url <url>', 'where the finished request is posted')
    .option('--estimate', 'tell what it would cost, and start nothing')
    .addOption(new Option('--print <language>', 'show the call instead of making it').choices(LANGUAGES))
    .option('--fresh', 'do it again, and charge for it, although the same was done in the last 24 hours')
    .option('--json', 'print a line of JSON for each input')
}

/** A whole number from 1 on, as an argument. */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 on.')
}

function notes(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  return { ...before, [name]: value }
}
