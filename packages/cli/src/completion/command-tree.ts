import type { Command, Option } from 'commander'
import { allOperations } from '../operations/catalog.ts'

export type Flag = {
  names: readonly string[]
  description: string
  takesValue: boolean
  /** The values that completion offers. Empty if the option accepts any value. */
  values: readonly string[]
  takesFile: boolean
  /** The kind of values that `mediamill complete-values` lists when the user presses Tab. */
  valuesAtRunTime: 'profiles' | undefined
}

export type CommandNode = {
  /** The words of the command, such as `account create`. Empty for `mediamill` itself. */
  words: string
  description: string
  flags: readonly Flag[]
  commands: readonly CommandNode[]
  takesFiles: boolean
  takesRequests: boolean
}

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

function visibleCommands(command: Command): readonly Command[] {
  const listed = new Set(command.createHelp().visibleCommands(command))
  return command.commands.filter((below) => listed.has(below))
}

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

/** Sets the values that completion offers for an option. The option still accepts other values. */
export function offerValues(option: Option, values: readonly string[]): Option {
  offered.set(option, values)
  return option
}

const parametersOf = ({ long }: Option) =>
  Object.entries(allOperations()[(long ?? '').slice(2).replaceAll('-', '_')]?.params ?? {})

const firstParameter = (option: Option) => parametersOf(option).find(([, { required }]) => required)

/** Returns the first required parameter's values, or the names of all parameters, such as `tolerance=`. */
function valuesOf(option: Option): readonly string[] {
  const first = firstParameter(option)
  if (first !== undefined) return (first[1].enum ?? []).map(String)
  return parametersOf(option).map(([name, { type }]) => (type === 'boolean' ? name : `${name}=`))
}

const firstSentence = (text: string) => (/^[^.:;]*/.exec(text)?.[0] ?? '').trim()
