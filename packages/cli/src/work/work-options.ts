import type { MediaType } from '@mediamill/contract/domain/media'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { offerValues } from '../completion/command-tree.ts'
import { STILL_FORMATS, shippedCatalog } from '../operations/catalog.ts'
import type { Language } from '../print/languages.ts'
import { LANGUAGES } from '../print/languages.ts'
import { addServiceOptions } from '../remote/service-options.ts'

/** The options of every verb that processes files. */
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
  { makes, hasLocal }: { makes: 'media' | 'still' | 'facts'; hasLocal: boolean },
): void {
  if (makes !== 'facts') {
    const formats = formatsOf(makes)
    command
      .option('-o, --out <where>', "a file, a folder/, a template such as 'out/{name}.{ext}', or - for stdout")
      .addOption(offerValues(new Option('--format <format>', `the format of the result: ${formats.help}`), formats.all))
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

/** The formats that a verb can write, and the sentence of its help. The first of each list is the default. */
function formatsOf(makes: 'media' | 'still'): { all: readonly string[]; help: string } {
  if (makes === 'still')
    return { all: STILL_FORMATS, help: `${STILL_FORMATS.join(' or ')} (default: ${STILL_FORMATS[0]})` }
  const { image, video, document } = shippedCatalog()
  return {
    all: [...image.formats, ...video.formats, ...document.formats],
    help: `images ${image.formats.join(', ')} (default: ${image.formats[0]}), videos ${video.formats.join(', ')}, PDFs ${document.formats.join(', ')}`,
  }
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
