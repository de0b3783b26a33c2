import type { Command, Option } from 'commander'
import { allOperations } from '../operations/catalog.ts'

/** A flag as completion scripts offer it. */
export type Flag = {
  /** With its dashes, the long form first. */
  names: readonly string[]
  description: string
  takesValue: boolean
  /** The allowed values; empty if every value is allowed. */
  values: readonly string[]
  /** Whether its value is a file. */
  takesFile: boolean
  /** The kind of values that `mediamill complete-values` lists for it. */
  valuesAtRunTime: 'profiles' | undefined
}

/** A command with its options and subcommands. */
export type CommandNode = {
  /** The words that lead to it after the program's name; empty for the program itself. */
  words: string
  description: string
  flags: readonly Flag[]
  commands: readonly CommandNode[]
  /** Whether words follow that may be files. */
  takesFiles: boolean
  /** Whether words follow that are numbers of requests. */
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

/** The subcommands that the help of a command lists. */
function visibleCommands(command: Command): readonly Command[] {
  const listed = new Set(command.createHelp().visibleCommands(command))
  return command.commands.filter((below) => listed.has(below))
}

/** A node and all below it. */
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

/** Gives an option values that are completed, although it takes others too. */
export function offerValues(option: Option, values: readonly string[]): Option {
  offered.set(option, values)
  return option
}

const parametersOf = ({ long }: Option) =>
  Object.entries(allOperations()[(long ?? '').slice(2).replaceAll('-', '_')]?.params ?? {})

/** The parameter that the value of an operation's flag starts with, if it is required. */
const firstParameter = (option: Option) => parametersOf(option).find(([, { required }]) => required)

/** The possible starts of an operation flag's value: a word, or the name of an optional parameter. */
function valuesOf(option: Option): readonly string[] {
  const first = firstParameter(option)
  if (first !== undefined) return (first[1].enum ?? []).map(String)
  return parametersOf(option).map(([name, { type }]) => (type === 'boolean' ? name : `${name}=`))
}

const firstSentence = (text: string) => (/^[^.:;]*/.exec(text)?.[0] ?? '').trim()
