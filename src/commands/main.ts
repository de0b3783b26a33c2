import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { tell } from '../app/role-message.ts'
import { CLIENT_COMMANDS } from './client/commands.ts'
import { DONE, endOf } from './client/exit-code.ts'
import type { OpenLocal } from './client/work/work-on.ts'
import { written } from './terminal/output.ts'

/**
 * A command's file adds itself to the program: its name, its arguments, what it does. It loads what the command needs
 * when the command runs, so that the help of all of them costs little.
 */
type CommandFile = { register: (program: Command, openLocal?: OpenLocal) => void | Promise<void> }

/** What the operator has with direct access to the database; these names keep their meaning (decision 52). */
const OPERATOR_COMMANDS: Record<string, () => Promise<CommandFile>> = {
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
  secret: () => import('./administration/secret.ts'),
  listen: () => import('./listen.ts'),
}

/** The commands in the order of the help; only the one that is called is loaded. */
const COMMANDS: Record<string, () => Promise<CommandFile>> = {
  ...CLIENT_COMMANDS,
  ...OPERATOR_COMMANDS,
  client: () => import('./client.ts'),
}

/** Runs one command line and resolves to its exit code: 0 done, 1 failed, 2 wrong usage (rulings 1). */
export async function main(args: readonly string[]): Promise<number> {
  const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
    description: string
  }
  const program = new Command('mediamill').description(description).version(version)
  program.exitOverride().showHelpAfterError('(--help shows how it is used)')
  program.addHelpText('after', '\nSettings come from the environment: mediamill serve --help lists them.')
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mediamill: ')) })
  const called = COMMANDS[args.find((arg) => !arg.startsWith('-')) ?? '']
  for (const load of called === undefined ? Object.values(COMMANDS) : [called]) {
    const { register } = await load()
    await register(program, openLocal)
  }
  try {
    await program.parseAsync(helped(args), { from: 'user' })
    await written()
    return DONE
  } catch (error) {
    const { code, message } = endOf(error)
    if (message !== undefined && process.connected) await tell({ type: 'failed', message })
    else if (message !== undefined) process.stderr.write(`mediamill: ${message}\n`)
    return code
  }
}

const openLocal: OpenLocal = async (planned) => await (await import('./local/open-local.ts')).openLocal(planned)

/** `help account create` as `account create --help`: by itself the library looks at one word, and knows it or is silent. */
function helped(args: readonly string[]): readonly string[] {
  const [help, command, ...more] = args
  if (help !== 'help' || command === undefined) return args
  return Object.hasOwn(COMMANDS, command) ? [command, ...more, '--help'] : [command, ...more]
}
