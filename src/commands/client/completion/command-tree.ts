import type { Command, Option } from 'commander'
import { allOperations } from '../operations/catalog.ts'

/** A flag as completion scripts offer it. */
export type Flag = {
  /** With its dashes, the long form first. */
  names: readonly string[]
  description: string
  takesValue: boolean
  /** What its value may be; empty where that is anything, such as a file. */
  values: readonly string[]
}

/** A command with what can follow it. */
export type CommandNode = {
  /** The words that lead to it after the program's name; empty for the program itself. */
  words: string
  description: string
  flags: readonly Flag[]
  commands: readonly CommandNode[]
  /** Whether words follow that may be files. */
  takesFiles: boolean
}

/** Reads what a program can be asked, for scripts that offer it. */
export function commandTree(command: Command, before = ''): CommandNode {
  const words = command.parent === null ? '' : `${before} ${command.name()}`.trim()
  return {
    words,
    description: firstSentence(command.description()),
    flags: [...command.options.map((option) => flagOf(option)), HELP],
    commands: command.commands.map((below) => commandTree(below, words)),
    takesFiles: command.registeredArguments.some((argument) => /^(?:input|file)/.test(argument.name())),
  }
}

/** A node and all below it. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap((below) => allNodes(below))]
}

const HELP: Flag = { names: ['--help', '-h'], description: 'show how it is used', takesValue: false, values: [] }

function flagOf(option: Option): Flag {
  const names = [option.long, option.short].filter((name) => name !== null && name !== undefined)
  const lines = option.description.split('\n')
  return {
    names,
    description: firstSentence(lines.at(-1) ?? ''),
    takesValue: option.required || option.optional,
    values: option.argChoices ?? valuesOf(option.attributeName() === '' ? '' : (option.long ?? '').slice(2)),
  }
}

/** What may stand first in the value of an operation's flag, where that is one of a few words. */
function valuesOf(flag: string): readonly string[] {
  const operation = allOperations()[flag.replaceAll('-', '_')]
  const first = Object.values(operation?.params ?? {}).find(({ required }) => required)
  return (first?.enum ?? []).map(String)
}

const firstSentence = (text: string) => (/^[^.:;]*/.exec(text)?.[0] ?? '').trim()
