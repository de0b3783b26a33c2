import { freePort, run, until } from '../support/process.ts'

/** A service that runs in its own processes, as an operator starts it. */
export type BenchedService = AsyncDisposable & { base: string; key: string }

/** Starts a service. `allowed` is a private host from which the service may fetch sources. */
export async function serveForBench(dataDir: string, allowed: string): Promise<BenchedService> {
  const port = await freePort()
  const settings = { DATA_DIR: dataDir, PORT: String(port), ALLOWED_PRIVATE_HOSTS: allowed, LOG_LEVEL: 'warn' }
  const service = run(['serve'], settings)
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => {
    service.child.kill('SIGTERM')
    await service.ended
  })
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true
  await until(isReady)
  const command = async (...args: string[]) => {
    const told = run(args, settings)
    if ((await told.ended) !== 0) throw new Error(told.err())
    return told.out()
  }
  const account = ['account', 'create', '--name', 'bench', '--email', 'bench@example.com']
  const made = JSON.parse(await command(...account, '--credit', '1000000.00', '--json'))
  const limits = ['--requests-per-minute', '1000000', '--concurrent', '2000']
  await command('account', 'limits', String(made.account.id), ...limits)
  const running = stack.move()
  return {
    base: `http://127.0.0.1:${port}/v1`,
    key: made.live_key,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
