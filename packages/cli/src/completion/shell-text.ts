import type { CommandNode } from './command-tree.ts'
import { allNodes } from './command-tree.ts'

/** A text in single quotes, as bash and zsh read it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The command that lists values which exist at run time, for any shell. */
export const valuesCommand = (kind: string): string => `mediamill complete-values ${kind} 2>/dev/null`

/** The patterns of all words that lead from one command to another. `'account create'` after `account`. */
export function stepsOf(root: CommandNode): string {
  return allNodes(root)
    .flatMap((node) => node.commands.map((below) => quoted(`${node.words} ${below.words.split(' ').at(-1)}`)))
    .join(' | ')
}

/** Every flag that takes a value, as `'command --flag'` patterns, with its values. */
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
