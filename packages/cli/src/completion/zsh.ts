import type { CommandNode } from './command-tree.ts'
import { allNodes } from './command-tree.ts'
import { quoted, stepsOf, valuesCommand, valuesOf } from './shell-text.ts'

/** Returns the completion script for zsh. Users source the script, or store it in a folder of `fpath`. */
export function zshScript(root: CommandNode): string {
  const listed = (kind: string) => `compadd -- \${(f)"$(${valuesCommand(kind)})"}`
  const values = valuesOf(root).map(({ patterns, values: known, takesFile, valuesAtRunTime: kind }) => {
    const words = `compadd -- ${known.map(quoted).join(' ')}`
    const offered = known.length > 0 ? words : kind !== undefined ? listed(kind) : takesFile ? '_files' : ':'
    return `    ${patterns}) ${offered}; return ;;`
  })
  const described = (name: string, text: string) => quoted(`${name}:${text.replaceAll(':', String.raw`\:`)}`)
  const nodes = allNodes(root).map((node) => {
    const flags = node.flags.flatMap(({ names, description }) => names.map((name) => described(name, description)))
    const below = node.commands.map((command) => described(command.words.split(' ').at(-1) ?? '', command.description))
    const others =
      below.length > 0
        ? `known=(${below.join(' ')}); _describe command known`
        : node.takesRequests
          ? listed('requests')
          : node.takesFiles
            ? '_files'
            : ':'
    return `    ${quoted(node.words)}) if [[ $PREFIX == -* ]]; then known=(${flags.join(' ')}); _describe -o option known; else ${others}; fi ;;`
  })
  return `#compdef mediamill
# Completion of mediamill for zsh. Written by mediamill completion zsh.
_mediamill() {
  local at='' i
  local -a known
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${stepsOf(root)}) at="\${at:+$at }$words[i]" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${values.join('\n').replaceAll(/^ {4}'/gm, "    ('")}
  esac
  case $at in
${nodes.join('\n').replaceAll(/^ {4}'/gm, "    ('")}
  esac
}
if [[ $funcstack[1] == _mediamill ]]; then _mediamill "$@"; else compdef _mediamill mediamill; fi
`
}
