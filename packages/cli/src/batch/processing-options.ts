import type { MediaType } from '@mediamill/contract/domain/media'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { offerValues } from '../completion/command-tree.ts'
import { STILL_FORMATS, shippedCatalog } from '../operations/catalog.ts'
import { addServiceOptions } from '../remote/connect.ts'

export type ProcessingOptions = {
  url?: string
  profile?: string
  out?: string
  /** The folder of the results if `out` is not set. Default: the working directory. */
  outFolder?: string
  format?: string
  template?: string
  variable?: Record<string, string>
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

export function addProcessingOptions(
  command: Command,
  { makes, hasLocal }: { makes: 'media' | 'still' | 'metadata'; hasLocal: boolean },
): void {
  if (makes !== 'metadata') {
    const formats = formatsOf(makes)
    command
      .option(
        '-o, --out <where>',
        "path of results: a file, a folder/, a path pattern such as 'out/{name}.{ext}', or - for stdout",
      )
      .addOption(offerValues(new Option('--format <format>', `format of results: ${formats.help}`), formats.all))
      .option('--template <name>', 'run a template of your account, such as product or product@3')
      .option('--variable <name=value>', 'value of a variable of the template; repeatable', notes)
      .option('--force', 'overwrite existing files')
  }
  command.addOption(
    new Option('--media <kind>', 'media type of inputs whose URL has no known extension').choices(MEDIA_TYPES),
  )
  if (hasLocal) command.option('--local', 'process on this machine, without a server, a key, or charges')
  addServiceOptions(command)
  command
    .option('--concurrency <n>', "number of concurrent inputs (default: the account's limit)", wholeNumber)
    .option('--customer <text>', 'your customer, for usage reports')
    .option('--metadata <name=value>', 'metadata of the request; repeatable', notes)
    .option('--webhook-url <url>', 'post the finished request to this URL')
    .option('--estimate', 'show the price without starting a request')
    .addOption(new Option('--print <language>', 'print the call instead of sending it').choices(LANGUAGES))
    .option('--fresh', 'process inputs of the last 24 hours again, and charge them again')
    .option('--json', 'print one line of JSON per input')
}

function formatsOf(makes: 'media' | 'still'): { all: readonly string[]; help: string } {
  if (makes === 'still')
    return { all: STILL_FORMATS, help: `${STILL_FORMATS.join(' or ')} (default: ${STILL_FORMATS[0]})` }
  const { image, video, document } = shippedCatalog()
  return {
    all: [...image.formats, ...video.formats, ...document.formats],
    help: `images ${image.formats.join(', ')} (default: ${image.formats[0]}), videos ${video.formats.join(', ')}, PDFs ${document.formats.join(', ')}`,
  }
}

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of at least 1.')
}

function notes(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.')
  return { ...before, [name]: value }
}

const LANGUAGES = ['curl', 'ts', 'python', 'json'] as const
export type Language = (typeof LANGUAGES)[number]
