import type { CommandNode } from './command-tree.ts'
import { allNodes } from './command-tree.ts'
import { quoted, stepsOf, valuesCommand, valuesOf } from './shell-text.ts'

/** Completes file names. `compgen` prints one name per line, because names may contain spaces. */
const FILES = 'while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$word")'

export function bashScript(root: CommandNode): string {
  const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$word"))`
  const listed = (kind: string) => `COMPREPLY=($(compgen -W "$(${valuesCommand(kind)})" -- "$word"))`
  const values = valuesOf(root).map(({ patterns, values: known, takesFile, valuesAtRunTime: kind }) => {
    const offered = known.length > 0 ? words(known) : kind !== undefined ? listed(kind) : takesFile ? FILES : ':'
    return `    ${patterns}) ${offered}; return ;;`
  })
  const nodes = allNodes(root).map((node) => {
    const flags = node.flags.flatMap(({ names }) => names)
    const below = node.commands.map((command) => command.words.split(' ').at(-1) ?? '')
    const others =
      below.length > 0 ? words(below) : node.takesRequests ? listed('requests') : node.takesFiles ? FILES : ':'
    return `    ${quoted(node.words)}) if [[ $word == -* ]]; then ${words(flags)}; else ${others}; fi ;;`
  })
  return `# Completion of mediamill for bash. Written by mediamill completion bash.
_mediamill() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at= i
  word=\${word//\\\\/}
  word=\${word#[\\"\\']}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${stepsOf(root)}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
${values.join('\n')}
  esac
  case $at in
${nodes.join('\n')}
  esac
}
complete -o filenames -F _mediamill mediamill
`
}
