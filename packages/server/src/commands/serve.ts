import { describeFields, quiet, strong, writeOut } from '@mediamill/cli/src/terminal/output'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import type { Command } from 'commander'
import type { HomeConfig } from '../app/home.ts'
import { environment } from '../config/config.ts'
import { collectWhenIdle } from '../lib/memory/collect-when-idle.ts'
import { writeFirstAccount } from './first-account.ts'
import type { FirstAccount } from './serve/service.ts'
import { settingsHelp } from './settings-help.ts'

export function register(program: Command): void {
  program
    .command('serve')
    .description('Run everything in one process tree: the database if it is embedded, the HTTP interface, the workers.')
    .addHelpText('after', () => settingsHelp('DATA_DIR=/var/lib/mediamill PORT=8080 mediamill serve'))
    .action(serve)
}

/** Runs the service until SIGTERM or SIGINT, which let running work finish; a second one ends it now. */
async function serve(): Promise<void> {
  const told = Promise.withResolvers<void>()
  // While it starts there is nothing to finish: what it has begun ends with this process.
  let onSignal: () => void = () => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => onSignal())
  const { startService } = await import('./serve/service.ts')
  const service = await startService(environment(), {
    async onFirstStart(account, config, log) {
      if (config.firstAccount === 'print') showFirstAccount(account, config)
      else log.info(`the first account is in ${await writeFirstAccount(account, config)}`)
    },
  })
  onSignal = told.resolve
  if (process.stdout.isTTY)
    writeOut(
      `\nMediamill answers at ${strong(service.address)}; ${strong(`${service.config.baseUrl}/docs`)} shows what it can do. Ctrl-C stops it.\n\n`,
    )
  const stopping = new AbortController()
  collectWhenIdle(stopping.signal)
  await told.promise
  stopping.abort()
  // A terminal sends its Ctrl-C to npm too, which hands it on: the first one comes twice.
  setTimeout(() => (onSignal = service.kill), SAME_SIGNAL_MS).unref()
  await service.stop()
}

/** Signals within so long of the first are that one again. */
const SAME_SIGNAL_MS = 1_000

function showFirstAccount(account: FirstAccount, config: HomeConfig): void {
  const source = sampleUrl(config.baseUrl, 'photo.jpg')
  const body = { source, operations: [{ type: 'orient' }, { type: 'resize', width: 400, height: 400 }] }
  const fields = describeFields([
    ['account', String(account.id)],
    ['live key', account.liveKey],
    ['test key', account.testKey],
    ['webhook secret', account.webhookSecret],
    ...(account.consoleUrl === undefined ? [] : ([['developer area', account.consoleUrl]] as const)),
  ])
  const curl = `curl ${config.baseUrl}/v1/images/process -H 'Authorization: Bearer ${account.testKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
  writeOut(
    `\n${strong('This is the first start. Here is an account; its keys are shown only now.')}\n\n${fields}\n\n` +
      `${quiet('A first call, free of charge with the test key:')}\n\n${curl}\n\n` +
      `${quiet('A file of your own:')}           npx mediamill try photo.jpg --orient --resize 800x800\n` +
      `${quiet('All it can do, to try out:')}    ${config.baseUrl}/docs\n\n`,
  )
}
