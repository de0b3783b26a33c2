import type { Command, Option } from 'commander'
import { allOperations } from '../operations/catalog.ts'

/** A flag, for completion scripts. */
export type Flag = {
  /** The names with their dashes. The long form is first. */
  names: readonly string[]
  description: string
  takesValue: boolean
  /** The allowed values; empty if every value is allowed. */
  values: readonly string[]
  /** Whether the value of the flag is a file. */
  takesFile: boolean
  /** The kind of values that `mediamill complete-values` lists for the flag. */
  valuesAtRunTime: 'profiles' | undefined
}

/** A command with its options and subcommands. */
export type CommandNode = {
  /** The command without the program's name, such as `account create`. Empty for the program itself. */
  words: string
  description: string
  flags: readonly Flag[]
  commands: readonly CommandNode[]
  /** Whether the arguments may be files. */
  takesFiles: boolean
  /** Whether the arguments are ids of requests. */
  takesRequests: boolean
}

/** Reads the commands and options of a program, for completion scripts. */
export function commandTree(command: Command, before = ''): CommandNode {
  const words = command.parent === null ? '' : `${before} ${command.name()}`.trim()
  return {
    words,
    description: firstSentence(command.description()),
    flags: [...command.options.map((option) => flagOf(option)), HELP],
    commands: visibleCommands(command).map((below) => commandTree(below, words)),
    takesFiles: command.registeredArguments.some((argument) => /^(?:input|file)/.test(argument.name())),
    takesRequests: command.registeredArguments.some((argument) => argument.name() === 'request'),
  }
}

/** Returns the subcommands that the help of a command lists. */
function visibleCommands(command: Command): readonly Command[] {
  const listed = new Set(command.createHelp().visibleCommands(command))
  return command.commands.filter((below) => listed.has(below))
}

/** Returns a node and all nodes below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap((below) => allNodes(below))]
}

const HELP: Flag = {
  names: ['--help', '-h'],
  description: 'show how it is used',
  takesValue: false,
  values: [],
  takesFile: false,
  valuesAtRunTime: undefined,
}

function flagOf(option: Option): Flag {
  const names = [option.long, option.short].filter((name) => name !== null && name !== undefined)
  const lines = option.description.split('\n')
  return {
    names,
    description: firstSentence(lines.at(-1) ?? ''),
    takesValue: option.required || option.optional,
    values: option.argChoices ?? offered.get(option) ?? valuesOf(option),
    takesFile: /<(?:file|where)>/.test(option.flags) || firstParameter(option)?.[0].endsWith('_url') === true,
    valuesAtRunTime: option.long === '--profile' ? 'profiles' : undefined,
  }
}

const offered = new WeakMap<Option, readonly string[]>()

/** Sets the values that completion offers for an option that also accepts other values. */
export function offerValues(option: Option, values: readonly string[]): Option {
  offered.set(option, values)
  return option
}

const parametersOf = ({ long }: Option) =>
  Object.entries(allOperations()[(long ?? '').slice(2).replaceAll('-', '_')]?.params ?? {})

/**
 * Returns the first required parameter of an operation. The value of the operation's flag starts with this parameter.
 */
const firstParameter = (option: Option) => parametersOf(option).find(([, { required }]) => required)

/**
 * Returns the words with which the value of an operation flag can start: values of the first required parameter, or
 * names of optional parameters.
 */
function valuesOf(option: Option): readonly string[] {
  const first = firstParameter(option)
  if (first !== undefined) return (first[1].enum ?? []).map(String)
  return parametersOf(option).map(([name, { type }]) => (type === 'boolean' ? name : `${name}=`))
}

const firstSentence = (text: string) => (/^[^.:;]*/.exec(text)?.[0] ?? '').trim()
