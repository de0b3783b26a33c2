import { resolve } from 'node:path'
import type { FlaggedOperation } from '@mediamill/cli/src/operations/operation-flags'
import { operationFlags, parseOperationFlag } from '@mediamill/cli/src/operations/operation-flags'
import { describeFields, print, quiet, strong } from '@mediamill/cli/src/terminal/output'
import { progressOrSilence } from '@mediamill/cli/src/terminal/progress'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import type { Command } from 'commander'
import { abortOnSignal } from './try/abort-on-signal.ts'
import type { ShownRequest } from './try/follow-request.ts'
import { downloadResult, finishRequest } from './try/follow-request.ts'
import { serveFiles } from './try/loopback-files.ts'
import { metadataText } from './try/metadata-text.ts'
import { startTemporaryService } from './try/temporary-service.ts'
import type { Trial } from './try/trial.ts'
import { freeName, planTrial } from './try/trial.ts'

type Options = { out?: string; format?: string; json: boolean }

/** The operations of all media types, because options are parsed before the file is read. */
const { image, video, document } = presentCatalog().data
const OPERATIONS = { ...image.operations, ...video.operations, ...document.operations }

export function register(program: Command): void {
  const command = program
    .command('try')
    .description('Process a local image, video, or PDF with a temporary service. Saves the result next to it.')
    .argument('<file>', 'the file; without an operation, its metadata is printed')
  const operations: FlaggedOperation[] = []
  for (const { operation, flag, value, description } of operationFlags(OPERATIONS)) {
    const means = value === undefined ? description : `${value}\n${description}`
    command.option(value === undefined ? `--${flag}` : `--${flag} <value>`, means)
    // An event instead of an option value, because operations run in the typed order.
    command.on(`option:${flag}`, (text?: string) => operations.push(read(command, operation, flag, text)))
  }
  command
    .option('--format <format>', 'format of the result, such as webp (default: jpg, mp4, or pdf)')
    .option('--out <file>', 'output file (default: next to the input file)')
    .option('--json', 'print the finished request as JSON', false)
    .addHelpText(
      'after',
      `
Operations run in the order typed. A value is WIDTHxHEIGHT or the parameters of the operation, in order and separated by
commas. Other parameters follow as name=value, and switches by name. A watermark can be a local file.

Examples:
  mediamill try photo.jpg --orient --resize 800x800
  mediamill try photo.heic --orient --resize 800x600,crop_center --filter valencia,strength=60 --format webp
  mediamill try offer.pdf --watermark logo.png,x=20,y=20`,
    )
    .action((file: string, options: Options) => tryFile(resolve(file), operations, options))
}

function read(command: Command, operation: string, flag: string, text = ''): FlaggedOperation {
  try {
    return parseOperationFlag(operation, text, OPERATIONS)
  } catch (error) {
    if (error instanceof RangeError) command.error(`error: --${flag} ${text}: ${error.message}`)
    throw error
  }
}

async function tryFile(file: string, operations: FlaggedOperation[], options: Options): Promise<void> {
  const trial = await planTrial(file, operations, options)
  await using stack = new AsyncDisposableStack()
  const signal = abortOnSignal()
  const follow = progressOrSilence(options.json)

  const files = stack.use(await serveFiles(trial.files))
  using starting = follow('starting a service in a temporary folder')
  const service = stack.use(await startTemporaryService(files.host))
  starting.done(`service ready at ${service.address}`)

  const client = { ...service, signal }
  using working = follow(`POST /v1/${trial.endpoint}`)
  const request = await finishRequest(client, trial.endpoint, trial.body(files.urlOf), ({ id, status, progress }) =>
    working.say(`request ${id} is ${status}${progress === undefined ? '' : `, ${progress} %`}`),
  )
  const [result] = request.result?.files ?? []
  const out = result === undefined ? undefined : (trial.out ?? (await freeName(file, trial.format)))
  if (result !== undefined && out !== undefined) {
    await downloadResult(client, result.url, out, { replace: trial.out !== undefined })
  }
  working.done(`request ${request.id} ${request.status}`)
  await stack.disposeAsync()
  print(options.json, { ...(out !== undefined && { file: out }), request }, () => describe(trial, request, out))
}

function describe(trial: Trial, { result, price }: ShownRequest, out: string | undefined): string {
  if (result === undefined) throw new OperatorError('The request has no result.')
  const metadata = Object.entries(result.data).map(([name, value]): [string, string] => [
    name,
    metadataText(name, value),
  ])
  const head = out === undefined ? `Metadata of ${strong(trial.name)}:` : `The result is in ${strong(out)}:`
  const call = JSON.stringify(trial.body((path) => `https://example.com/${encodeURIComponent(nameOf(path))}`))
  return [
    `\n${head}\n${describeFields([...metadata, ['price', `${formatDollars(microUsd(price?.micro_usd ?? 0))} with a live key`]])}`,
    `\n${quiet('Equivalent API call:')}\n  POST /v1/${trial.endpoint}\n  ${call}\n`,
  ].join('\n')
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
