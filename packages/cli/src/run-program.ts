import { Command } from 'commander'
import { DONE, endOf } from './exit-code.ts'
import { toTerminal, visible, watchStdout, written } from './terminal/output.ts'
import type { OpenLocal } from './work/work-on.ts'

/** The module of a command. `register` adds the command to the program. When it runs, it loads its other modules. */
export type CommandFile = { register: (program: Command, openLocal?: OpenLocal) => void | Promise<void> }

/** Functions that load the module of a command, by the first word of the command, in the order of the help. */
export type Commands = Readonly<Record<string, () => Promise<CommandFile>>>

export type ProgramOptions = {
  commands: Commands
  description: string
  version: string
  after: string
  openLocal?: OpenLocal
  /** Reports a failure to another process. If it returns `false`, the message is printed to stderr. */
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
  // `completion` needs every command, because its script lists all of them.
  const called = word === 'completion' || !Object.hasOwn(commands, word) ? undefined : commands[word]
  for (const load of called === undefined ? Object.values(commands) : [called]) {
    await (await load()).register(program, openLocal)
  }
  watchStdout()
  try {
    await program.parseAsync(helped(args, commands), { from: 'user' })
    await written()
    // The command printed its error itself, and set the exit code.
    return typeof process.exitCode === 'number' ? process.exitCode : DONE
  } catch (error) {
    const { code, message } = endOf(error)
    if (message !== undefined && (await options.onMessage?.(message)) !== true)
      process.stderr.write(`mediamill: ${message.split('\n').map(visible).join('\n')}\n`)
    return code
  }
}

/** Rewrites `help account create` to `account create --help`, because Commander reads only one word after `help`. */
function helped(args: readonly string[], commands: Commands): readonly string[] {
  const [help, command, ...more] = args
  if (help !== 'help' || command === undefined) return args
  return Object.hasOwn(commands, command) ? [command, ...more, '--help'] : [command, ...more]
}
