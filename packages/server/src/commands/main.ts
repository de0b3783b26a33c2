import { readFileSync } from 'node:fs'
import type { OpenLocal } from '@mediamill/cli/src/batch/run-processing-command'
import { CLIENT_COMMANDS } from '@mediamill/cli/src/commands'
import type { Commands } from '@mediamill/cli/src/run-program'
import { runProgram } from '@mediamill/cli/src/run-program'
import { sendToServe } from '../app/role-message.ts'
import { packageVersion, versionText } from '../lib/program-version.ts'

const OPERATOR_COMMANDS: Commands = {
  serve: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  try: () => import('./try.ts'),
  api: () => import('./api.ts'),
  worker: () => import('./worker.ts'),
  account: () => import('./administration/account.ts'),
  key: () => import('./administration/key.ts'),
  ledger: () => import('./administration/ledger.ts'),
  usage: () => import('./administration/usage.ts'),
  request: () => import('./administration/request.ts'),
  events: () => import('./administration/events.ts'),
  console: () => import('./administration/console.ts'),
  secret: () => import('./administration/secret.ts'),
  'key-ring': () => import('./administration/key-ring.ts'),
  doctor: () => import('./doctor.ts'),
  migrate: () => import('./migrate.ts'),
  'restore-check': () => import('./restore-check.ts'),
  listen: () => import('./listen.ts'),
}

const { account: _account, usage: _usage, listen: _listen, ...OWN_WORDS } = CLIENT_COMMANDS

const COMMANDS: Commands = { ...OPERATOR_COMMANDS, ...OWN_WORDS, client: () => import('./client.ts') }

/** Runs a command line. Resolves to the exit code: 0 success, 1 failure, 2 wrong usage (operator.commands.1). */
export async function main(args: readonly string[]): Promise<number> {
  const { description } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    description: string
  }
  // In a checkout, the commit comes from Git. Only `--version` prints it, so only `--version` runs Git.
  const isVersion = args.some((arg) => arg === '--version' || arg === '-V')
  const version = isVersion ? versionText() : packageVersion()
  const after = '\nSettings come from the environment: mediamill serve --help lists them.'
  return await runProgram(args, {
    commands: COMMANDS,
    description,
    version,
    after,
    openLocal,
    onMessage: reportToServe,
  })
}

const openLocal: OpenLocal = async (planned) => await (await import('./local/open-local.ts')).openLocal(planned)

async function reportToServe(message: string): Promise<boolean> {
  if (!process.connected) return false
  await sendToServe({ type: 'failed', message })
  return true
}
