import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { print, strong, writeOut } from '@mediamill/cli/src/terminal/output'
import { progressOrSilence } from '@mediamill/cli/src/terminal/progress'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { Command } from 'commander'
import { abortOnSignal } from './try/abort-on-signal.ts'
import { downloadResult, finishRequest } from './try/follow-request.ts'
import { serveFiles } from './try/loopback-files.ts'
import { startTemporaryService } from './try/temporary-service.ts'

const LANDSCAPE = fileURLToPath(new URL('./demo/landscape.jpg', import.meta.url))
const LOGO = fileURLToPath(new URL('./demo/logo.png', import.meta.url))

export function register(program: Command): void {
  program
    .command('demo')
    .description('Process a sample image with a temporary service, and save only the result.')
    .option('--out <file>', 'output file', 'demo-result.jpg')
    .option('--json', 'print the finished request as JSON', false)
    .addHelpText('after', '\nExample:\n  mediamill demo --out image.jpg')
    .action(({ out, json }: { out: string; json: boolean }) => demo(resolve(out), json))
}

async function demo(out: string, json: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const signal = abortOnSignal()
  const say = (text: string) => void (json || writeOut(`${text}\n`))
  const follow = progressOrSilence(json)

  say(`\n${strong('Mediamill')}: one image, from the call to the file.\n`)
  const sources = stack.use(await serveFiles([LANDSCAPE, LOGO]))
  using starting = follow('starting a service in a temporary folder: database, API, workers')
  const service = stack.use(await startTemporaryService(sources.host))
  starting.done(`service ready at ${service.address}`)

  const client = { ...service, signal }
  const body = {
    source: sources.urlOf(LANDSCAPE),
    operations: [
      { type: 'orient' },
      { type: 'resize', width: 1200, height: 1200 },
      { type: 'watermark', image_url: sources.urlOf(LOGO), x: 990, y: 590 },
    ],
  }
  say('  POST /v1/images/process  landscape.jpg, 2400 × 1600: fit into 1200 × 1200, add logo.png')
  using working = follow('waiting for the response')
  const request = await finishRequest(client, 'images/process', body, ({ id, status }) =>
    working.say(`request ${id} is ${status}`),
  )
  const file = request.result?.files?.[0]
  if (request.result === undefined || file === undefined) throw new OperatorError('The request has no file.')
  working.done(`request ${request.id} ${request.status}, for ${formatDollars(microUsd(request.price?.micro_usd ?? 0))}`)

  await downloadResult(client, file.url, out, { replace: true })
  const { width = 0, height = 0, format = '', size = 0 } = request.result.data
  using stopping = follow('stopping the service')
  await stack.disposeAsync()
  stopping.done('service stopped, temporary folder removed')
  const text =
    `\nThe image is in ${strong(out)}: ${width} × ${height}, ${format}, ${formatBytes(size)}.\n` +
    `Try your own file: ${strong('npx mediamill try FILE --orient --resize 800x800')}, or start the service: ${strong('npm start')}\n`
  print(json, { file: out, request }, () => text)
}
