import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { tell } from './app/role-message.ts'
import { explain } from './commands/terminal/explain.ts'
import { written } from './commands/terminal/output.ts'

/**
 * A command's file adds itself to the program: its name, its arguments, what it does. It loads what the command needs
 * when the command runs, so that the help of all of them costs little.
 */
type CommandFile = { register: (program: Command) => void }

/** The commands in the order of the help; only the one that is called is loaded. */
const COMMANDS: Record<string, () => Promise<CommandFile>> = {
  serve: () => import('./commands/serve.ts'),
  demo: () => import('./commands/demo.ts'),
  try: () => import('./commands/try.ts'),
  api: () => import('./commands/api.ts'),
  worker: () => import('./commands/worker.ts'),
  account: () => import('./commands/administration/account.ts'),
  key: () => import('./commands/administration/key.ts'),
  ledger: () => import('./commands/administration/ledger.ts'),
  usage: () => import('./commands/administration/usage.ts'),
  request: () => import('./commands/administration/request.ts'),
  events: () => import('./commands/administration/events.ts'),
  secret: () => import('./commands/administration/secret.ts'),
  doctor: () => import('./commands/doctor.ts'),
  listen: () => import('./commands/listen.ts'),
}

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Runs one command line and resolves to its exit code. 0 is done, 1 failed, 2 wrong usage (rulings 1). */
export async function main(args: readonly string[]): Promise<number> {
  const { version, description } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
    description: string
  }
  const program = new Command('mediamill').description(description).version(version)
  program.exitOverride().showHelpAfterError('(--help shows how it is used)')
  program.addHelpText('after', '\nSettings come from the environment: mediamill serve --help lists them.')
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mediamill: ')) })
  const called = COMMANDS[args.find((arg) => !arg.startsWith('-')) ?? '']
  for (const load of called === undefined ? Object.values(COMMANDS) : [called]) (await load()).register(program)
  try {
    await program.parseAsync(helped(args), { from: 'user' })
    await written()
    return DONE
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
    const message = explain(error)
    if (process.connected) await tell({ type: 'failed', message })
    else process.stderr.write(`mediamill: ${message}\n`)
    return FAILED
  }
}

/** `help account create` as `account create --help`: by itself the library looks at one word, and knows it or is silent. */
function helped(args: readonly string[]): readonly string[] {
  const [help, command, ...more] = args
  if (help !== 'help' || command === undefined) return args
  return Object.hasOwn(COMMANDS, command) ? [command, ...more, '--help'] : [command, ...more]
}

// Not left to the event loop: what a failed start has opened must not keep the process alive.
process.exit(await main(process.argv.slice(2)))
