import type { CommandNode } from './command-tree.ts'
import { allNodes } from './command-tree.ts'

/** Quotes text in single quotes for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Returns the shell command that lists values known only at run time, such as profiles. */
export const valuesCommand = (kind: string): string => `mediamill complete-values ${kind} 2>/dev/null`

/** Returns the shell patterns that lead from a command to each subcommand, such as `'account create'`. */
export function stepsOf(root: CommandNode): string {
  return allNodes(root)
    .flatMap((node) => node.commands.map((below) => quoted(`${node.words} ${below.words.split(' ').at(-1)}`)))
    .join(' | ')
}

/** Returns each flag that requires a value: its `'command --flag'` patterns, and its values. */
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
