import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { freePort } from '../../support/process.ts'
import type { BenchedService } from '../serve-for-bench.ts'

const SERVER = join(import.meta.dirname, 'server.ts')
const KEY = 'svc_live_by_hand'

export async function startBaselineServer(folder: string): Promise<BenchedService> {
  const out = join(folder, 'results')
  await mkdir(out, { recursive: true })
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await startEmbedded(join(folder, 'data'), { log: () => undefined }))
  const port = await freePort()
  const env = { PATH: '/usr/bin:/bin', DATABASE_URL: database.url, KEY, OUT: out, PORT: String(port) }
  for (const role of ['api', 'worker']) {
    const child = fork(SERVER, [role], { env })
    stack.defer(async () => {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
    await once(child, 'message')
  }
  const running = stack.move()
  return {
    base: `http://127.0.0.1:${port}/v1`,
    key: KEY,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
