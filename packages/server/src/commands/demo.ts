import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { print, strong, writeOut } from '@mediamill/cli/src/terminal/output'
import { progressOrSilence } from '@mediamill/cli/src/terminal/progress'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { Command } from 'commander'
import { downloadResult, finishRequest } from './try/follow-request.ts'
import { serveFiles } from './try/loopback-files.ts'
import { startTemporaryService } from './try/temporary-service.ts'
import { untilTold } from './try/until-told.ts'

const LANDSCAPE = fileURLToPath(new URL('./demo/landscape.jpg', import.meta.url))
const LOGO = fileURLToPath(new URL('./demo/logo.png', import.meta.url))

export function register(program: Command): void {
  program
    .command('demo')
    .description('Follow one picture through the service, on a temporary folder that leaves only the result behind.')
    .option('--out <file>', 'where the finished picture goes', 'demo-result.jpg')
    .option('--json', 'print the finished request as JSON', false)
    .addHelpText('after', '\nExample:\n  mediamill demo --out picture.jpg')
    .action(({ out, json }: { out: string; json: boolean }) => demo(resolve(out), json))
}

async function demo(out: string, json: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const signal = untilTold()
  const say = (text: string) => void (json || writeOut(`${text}\n`))
  const follow = progressOrSilence(json)

  say(`\n${strong('Mediamill')}: one picture from the call to the file.\n`)
  const pictures = stack.use(await serveFiles([LANDSCAPE, LOGO]))
  using starting = follow('starting the service on a temporary folder: database, HTTP interface, workers')
  const service = stack.use(await startTemporaryService(pictures.host))
  starting.done(`the service answers at ${service.address}`)

  const client = { ...service, signal }
  const body = {
    source: pictures.urlOf(LANDSCAPE),
    operations: [
      { type: 'orient' },
      { type: 'resize', width: 1200, height: 1200 },
      { type: 'watermark', image_url: pictures.urlOf(LOGO), x: 990, y: 590 },
    ],
  }
  say('  POST /v1/images/process  landscape.jpg, 2400 × 1600: fit it into 1200 × 1200, lay logo.png over it')
  using working = follow('waiting for the 202')
  const request = await finishRequest(client, 'images/process', body, ({ id, status }) =>
    working.say(`request ${id} is ${status}`),
  )
  const file = request.result?.files?.[0]
  if (request.result === undefined || file === undefined) throw new OperatorError('The request made no file.')
  working.done(`request ${request.id} ${request.status}, for ${formatDollars(microUsd(request.price?.micro_usd ?? 0))}`)

  await downloadResult(client, file.url, out, { replace: true })
  const { width = 0, height = 0, format = '', size = 0 } = request.result.data
  using stopping = follow('stopping the service')
  await stack.disposeAsync()
  stopping.done('everything is stopped, and the temporary folder is gone')
  const text =
    `\nThe picture is in ${strong(out)}: ${width} × ${height}, ${format}, ${formatBytes(size)}.\n` +
    `Now try one of yours: ${strong('npx mediamill try FILE --orient --resize 800x800')}, or start the service: ${strong('npm start')}\n`
  print(json, { file: out, request }, () => text)
}
