import type { CommandNode, Flag } from './command-tree.ts'
import { allNodes } from './command-tree.ts'
import { valuesCommand } from './shell-text.ts'

export function fishScript(root: CommandNode): string {
  const steps = allNodes(root).flatMap((node) =>
    node.commands.map((below) => fishQuoted(`${node.words} ${below.words.split(' ').at(-1)}`)),
  )
  const lines = allNodes(root).flatMap((node) => {
    const here = `complete -c mediamill -n ${fishQuoted(`__mediamill_at ${fishQuoted(node.words)}`)}`
    return [
      ...(node.takesFiles ? [] : [`${here} -f`]),
      ...node.commands.map(
        ({ words, description }) => `${here} -f -a ${words.split(' ').at(-1)} -d ${fishQuoted(description)}`,
      ),
      ...(node.takesRequests ? [`${here} -f -a ${fishQuoted(`(${valuesCommand('requests')})`)}`] : []),
      ...node.flags.map((flag) => `${here} ${flagWords(flag)}`),
    ]
  })
  return `# Completion of mediamill for fish. Written by mediamill completion fish.
function __mediamill_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" ${steps.join(' ')}
            set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`
}

function flagWords({ names, description, takesValue, takesFile, values, valuesAtRunTime: kind }: Flag): string {
  const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  const value =
    values.length > 0
      ? [`-x -a ${fishQuoted(values.join(' '))}`]
      : kind !== undefined
        ? [`-x -a ${fishQuoted(`(${valuesCommand(kind)})`)}`]
        : takesFile
          ? ['-r -F']
          : takesValue
            ? ['-x']
            : []
  return [...named, ...value, `-d ${fishQuoted(description)}`].join(' ')
}

const fishQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
