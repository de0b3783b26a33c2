import { Command } from 'commander'
import { DONE, endOf } from './exit-code.ts'
import { visible, watchStdout, written } from './terminal/output.ts'
import type { OpenLocal } from './work/work-on.ts'

/**
 * A command's file adds itself to the program: its name, its arguments, what it does. It loads what the command needs
 * when the command runs, so that the help of all of them costs little.
 */
export type CommandFile = { register: (program: Command, openLocal?: OpenLocal) => void | Promise<void> }

/** Commands by their first word, in the order of the help. Only the one that is called is loaded. */
export type Commands = Readonly<Record<string, () => Promise<CommandFile>>>

export type ProgramOptions = {
  commands: Commands
  description: string
  version: string
  /** What stands at the end of the help. */
  after: string
  openLocal?: OpenLocal
  /** Tells somebody else why it failed; `false`: nobody is there, and stderr is told. */
  tell?: (message: string) => Promise<boolean>
}

/** Runs one command line and resolves to its exit code. */
export async function runProgram(args: readonly string[], options: ProgramOptions): Promise<number> {
  const { commands, openLocal } = options
  const program = new Command('mediamill').description(options.description).version(options.version)
  program.exitOverride().showHelpAfterError('(--help shows how it is used)').addHelpText('after', options.after)
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'mediamill: ')) })
  const word = args.find((arg) => !arg.startsWith('-')) ?? ''
  // What completes the others has to know them.
  const called = word === 'completion' || !Object.hasOwn(commands, word) ? undefined : commands[word]
  for (const load of called === undefined ? Object.values(commands) : [called]) {
    await (await load()).register(program, openLocal)
  }
  watchStdout()
  try {
    await program.parseAsync(helped(args, commands), { from: 'user' })
    await written()
    // A command that found something wrong has said so, and set its code.
    return typeof process.exitCode === 'number' ? process.exitCode : DONE
  } catch (error) {
    const { code, message } = endOf(error)
    if (message !== undefined && (await options.tell?.(message)) !== true)
      process.stderr.write(`mediamill: ${message.split('\n').map(visible).join('\n')}\n`)
    return code
  }
}

/** `help account create` as `account create --help`: by itself the library looks at one word, and knows it or is silent. */
function helped(args: readonly string[], commands: Commands): readonly string[] {
  const [help, command, ...more] = args
  if (help !== 'help' || command === undefined) return args
  return Object.hasOwn(commands, command) ? [command, ...more, '--help'] : [command, ...more]
}
