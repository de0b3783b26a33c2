import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quoted } from '@mediamill/cli/src/completion/shell-text'
import { describeFields, quiet, strong, writeOut } from '@mediamill/cli/src/terminal/output'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import type { Command } from 'commander'
import type { ServiceConfig } from '../app/installation.ts'
import { environment } from '../config/config.ts'
import { collectWhenIdle } from '../lib/memory/collect-when-idle.ts'
import type { FirstAccount } from './serve/service.ts'
import { settingsHelp } from './settings-help.ts'

export function register(program: Command): void {
  program
    .command('serve')
    .description('Run the whole service in one process tree: the API, the workers, and the embedded database.')
    .addHelpText('after', () => settingsHelp('DATA_DIR=/var/lib/mediamill PORT=8080 mediamill serve'))
    .action(serve)
}

/** Runs the service until SIGTERM, SIGINT, or SIGHUP. Another signal, over a second later, kills the processes. */
async function serve(): Promise<void> {
  const stopRequest = Promise.withResolvers<void>()
  // No work runs during the start, so a signal ends this process and its children.
  let onSignal: () => void = () => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => onSignal())
  const { startService } = await import('./serve/service.ts')
  const service = await startService(environment(), {
    async onFirstStart(account, config, log) {
      if (config.firstAccount === 'print') showFirstAccount(account, config)
      else log.info(`first account written to ${await writeFirstAccount(account, config)}`)
    },
  })
  onSignal = stopRequest.resolve
  if (process.stdout.isTTY)
    writeOut(
      `\nMediamill is ready at ${strong(service.address)}. Documentation: ${strong(`${service.config.baseUrl}/docs`)}. Press Ctrl-C to stop.\n\n`,
    )
  const stopping = new AbortController()
  collectWhenIdle(stopping.signal)
  await stopRequest.promise
  stopping.abort()
  // npm forwards Ctrl-C too, so a second signal within a second counts as the same Ctrl-C.
  setTimeout(() => (onSignal = service.kill), SAME_SIGNAL_MS).unref()
  await service.stop()
}

const SAME_SIGNAL_MS = 1_000

function showFirstAccount(account: FirstAccount, config: ServiceConfig): void {
  const source = sampleUrl(config.baseUrl, 'photo.jpg')
  const body = { source, operations: [{ type: 'orient' }, { type: 'resize', width: 400, height: 400 }] }
  const fields = describeFields([
    ['account', String(account.id)],
    ['live key', account.liveKey],
    ['test key', account.testKey],
    ['webhook secret', account.webhookSecret],
    ...(account.consoleUrl === undefined ? [] : ([['console', account.consoleUrl]] as const)),
  ])
  const curl = `curl -sS ${config.baseUrl}/v1/images/process -H 'Authorization: Bearer ${account.testKey}' -H 'Content-Type: application/json' -H 'Accept: image/*' -H 'Prefer: wait=30' -d '${JSON.stringify(body)}' -o result.jpg`
  // Commands for accounts find the database in DATA_DIR.
  const setting = environment()['DATA_DIR'] ? `DATA_DIR=${quoted(config.dataDir)} ` : ''
  writeOut(
    `\n${strong('First start: created an account. Its keys are shown only now.')}\n\n${fields}\n\n` +
      `${quiet('A first call, free with the test key. It saves result.jpg:')}\n\n${curl}\n\n` +
      `${quiet('Without the service:')}  npx mediamill try photo.jpg --orient --resize 800x800\n` +
      `${quiet('Enable videos:')}        ${setting}npx mediamill account credit ${account.id} 25.00\n` +
      `${quiet('Documentation:')}        ${config.baseUrl}/docs\n\n`,
  )
}

async function writeFirstAccount(account: FirstAccount, { dataDir, baseUrl }: ServiceConfig): Promise<string> {
  const path = join(dataDir, 'first-account.json')
  const shown = {
    base_url: baseUrl,
    account: account.id,
    live_key: account.liveKey,
    test_key: account.testKey,
    webhook_secret: account.webhookSecret,
    ...(account.consoleUrl !== undefined && { console_url: account.consoleUrl }),
  }
  await writeFile(path, `${JSON.stringify(shown, null, 2)}\n`, { mode: 0o600, flush: true })
  return path
}
