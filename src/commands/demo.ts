import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { NewAccount } from '../accounts/create-account.ts'
import { environment } from '../config.ts'
import { OperatorError } from '../domain/errors.ts'
import { formatBytes } from '../domain/limits.ts'
import { print, strong } from './output.ts'
import { showProgress } from './progress.ts'

/** Ever longer waits: a new account may make 30 calls a minute (Spec 8), and a picture is done in a second. */
const FIRST_POLL_MS = 60
const LAST_POLL_MS = 3_000
const DEADLINE_MS = 60_000

export function register(program: Command): void {
  program
    .command('demo')
    .description(
      "Show a picture's whole way in a minute: on a temporary folder, with nothing left behind but the result.",
    )
    .option('--out <file>', 'where the finished picture goes', 'demo-result.jpg')
    .option('--json', 'print the finished request as JSON', false)
    .addHelpText('after', '\nExample:\n  mediamill demo --out picture.jpg')
    .action(({ out, json }: { out: string; json: boolean }) => demo(resolve(out), json))
}

/** The request as the interface shows it, as far as this command reads it. */
type Shown = {
  id: number
  status: string
  price?: { amount: string }
  result?: { data: { width: number; height: number; format: string; size: number }; files: { url: string }[] }
  error?: { message: string }
}

async function demo(out: string, json: boolean): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const told = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => told.abort())
  const say = (text: string) => void (json || process.stdout.write(`${text}\n`))
  const follow = json ? () => ({ say: () => undefined, done: () => undefined }) : showProgress

  say(`\n${strong('Mediamill')}: one picture's whole way.\n`)
  const folder = await makeFolder(stack)
  const pictures = await servePictures(stack)
  const starting = follow('starting the service on a temporary folder: database, HTTP interface, workers')
  const { startService } = await import('./service.ts')
  let account: NewAccount | undefined
  const service = await startService(
    { ...environment(), ...(await settingsFor(folder, pictures)) },
    {
      async onFirstStart(created) {
        account = created
      },
    },
  )
  stack.defer(service.stop)
  if (account === undefined) throw new Error('a new data folder had an account already')
  starting.done(`the service answers at ${service.address}`)

  const call = callerOf(service.address, account.liveKey)
  const body = {
    source: `http://${pictures}/landscape.jpg`,
    operations: [
      { type: 'resize', width: 1200, height: 1200 },
      { type: 'watermark', image_url: `http://${pictures}/logo.png`, x: 990, y: 590 },
    ],
  }
  say('  POST /v1/images/process  landscape.jpg, 2400 × 1600: fit into 1200 × 1200, lay logo.png over it')
  const working = follow('waiting for the 202')
  let request = await call('POST', '/v1/images/process', body)
  const deadline = performance.now() + DEADLINE_MS
  let pollMs = FIRST_POLL_MS
  while (request.status === 'queued' || request.status === 'processing') {
    working.say(`request ${request.id} is ${request.status}`)
    if (told.signal.aborted) throw new OperatorError('The demonstration was stopped.')
    if (performance.now() > deadline) throw new OperatorError('The picture was not finished within a minute.')
    await delay(pollMs)
    pollMs = Math.min(pollMs * 1.4, LAST_POLL_MS)
    request = await call('GET', `/v1/requests/${request.id}`)
  }
  const file = request.result?.files[0]
  if (request.result === undefined || file === undefined) {
    throw new OperatorError(`The request ended ${request.status}: ${request.error?.message ?? 'no reason was given'}`)
  }
  working.done(`request ${request.id} ${request.status}, for $${request.price?.amount ?? '0'}`)

  const downloaded = await fetch(file.url)
  if (!downloaded.ok) throw new OperatorError(`The download link answered ${downloaded.status}.`)
  await save(out, Buffer.from(await downloaded.arrayBuffer()))
  const { width, height, format, size } = request.result.data
  const stopping = follow('stopping the service')
  await stack.disposeAsync()
  stopping.done('everything is stopped, and the temporary folder is gone')
  const text = `\nThe picture is in ${strong(out)}: ${width} × ${height}, ${format}, ${formatBytes(size)}.\nNow start the service for yourself: ${strong('npm start')}\n`
  print(json, { file: out, request }, () => text)
}

async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-demo-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  // Root's database runs as another account, which must pass through.
  await chmod(folder, 0o711)
  return folder
}

/** Serves the two pictures that come with the project; resolves to the host and port. */
async function servePictures(stack: AsyncDisposableStack): Promise<string> {
  const files: Record<string, Buffer> = {}
  for (const name of ['landscape.jpg', 'logo.png']) {
    files[`/${name}`] = await readFile(new URL(`./demo/${name}`, import.meta.url))
  }
  const server = createServer((call, answer) => {
    const file = files[call.url ?? '']
    answer.writeHead(file === undefined ? 404 : 200).end(file)
  })
  const port = await listen(server)
  stack.defer(() => close(server))
  return `127.0.0.1:${port}`
}

/** The operator's own settings do not count here, but for how much is logged. */
async function settingsFor(folder: string, pictures: string): Promise<Record<string, string>> {
  const probe = createServer()
  const port = await listen(probe)
  await close(probe)
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: '',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: '',
    STORAGE_URL: '',
    SECRET_KEY: '',
    ALLOWED_PRIVATE_HOSTS: pictures,
    LOG_LEVEL: environment().LOG_LEVEL ?? 'error',
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

function callerOf(address: string, key: string) {
  return async (method: string, path: string, body?: unknown): Promise<Shown> => {
    const response = await fetch(address + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    const answer = (await response.json()) as Shown
    if (response.ok) return answer
    throw new OperatorError(
      `${method} ${path} answered ${response.status}: ${answer.error?.message ?? 'no reason was given'}`,
    )
  }
}

async function save(out: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(out, bytes)
  } catch (error) {
    throw new OperatorError(`${out} cannot be written: name another file with --out.`, { cause: error })
  }
}
