import type { CommandNode } from './command-tree.ts'
import { allNodes } from './command-tree.ts'

export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export const valuesCommand = (kind: string): string => `mediamill complete-values ${kind} 2>/dev/null`

/** Returns shell patterns for all subcommands, such as `'account create'`, joined by `|`. */
export function stepsOf(root: CommandNode): string {
  return allNodes(root)
    .flatMap((node) => node.commands.map((below) => quoted(`${node.words} ${below.words.split(' ').at(-1)}`)))
    .join(' | ')
}

/** Returns the values of flags. `patterns` are shell patterns for commands with a flag: `'command --flag' | …`. */
export function valuesOf(
  root: CommandNode,
): { patterns: string; values: readonly string[]; takesFile: boolean; valuesAtRunTime: string | undefined }[] {
  return allNodes(root).flatMap((node) =>
    node.flags
      .filter(({ takesValue }) => takesValue)
      .map(({ names, values, takesFile, valuesAtRunTime }) => ({
        patterns: names.map((name) => quoted(`${node.words} ${name}`)).join(' | '),
        values,
        takesFile,
        valuesAtRunTime,
      })),
  )
}
