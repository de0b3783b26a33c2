import { Command } from 'commander'
import type { OpenLocal } from './batch/run-processing-command.ts'
import { DONE, endOf } from './exit-code.ts'
import { toTerminal, visible, watchStdout, written } from './terminal/output.ts'

/** The module of a command. `register` adds the command to the program. Other modules load when the command runs. */
type CommandFile = { register: (program: Command, openLocal?: OpenLocal) => void | Promise<void> }

/** The commands by their first word, in the order of the help. */
export type Commands = Readonly<Record<string, () => Promise<CommandFile>>>

type ProgramOptions = {
  commands: Commands
  description: string
  version: string
  after: string
  openLocal?: OpenLocal
  /** Passes the message of a failure to another process. If this function returns `false`, stderr shows the message. */
  onMessage?: (message: string) => Promise<boolean>
}

export async function runProgram(args: readonly string[], options: ProgramOptions): Promise<number> {
  const { commands, openLocal } = options
  const program = new Command('mediamill').description(options.description).version(options.version)
  program
    .exitOverride()
    .showHelpAfterError('Run the command with --help for usage.')
    .addHelpText('after', options.after)
  program.configureOutput({ outputError: (text, write) => write(toTerminal(text.replace(/^error: /, 'mediamill: '))) })
  const word = args.find((arg) => !arg.startsWith('-')) ?? ''
  // `completion` lists all commands, so it needs every module.
  const called = word === 'completion' || !Object.hasOwn(commands, word) ? undefined : commands[word]
  for (const load of called === undefined ? Object.values(commands) : [called]) {
    await (await load()).register(program, openLocal)
  }
  watchStdout()
  try {
    await program.parseAsync(helped(args, commands), { from: 'user' })
    await written()
    // The command printed its error and set an exit code.
    return typeof process.exitCode === 'number' ? process.exitCode : DONE
  } catch (error) {
    const { code, message } = endOf(error)
    if (message !== undefined && (await options.onMessage?.(message)) !== true)
      process.stderr.write(`mediamill: ${message.split('\n').map(visible).join('\n')}\n`)
    return code
  }
}

/** Rewrites `help account create` to `account create --help`, because Commander's `help` supports only one word. */
function helped(args: readonly string[], commands: Commands): readonly string[] {
  const [help, command, ...more] = args
  if (help !== 'help' || command === undefined) return args
  return Object.hasOwn(commands, command) ? [command, ...more, '--help'] : [command, ...more]
}
