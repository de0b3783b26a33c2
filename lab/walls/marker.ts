import { maskSource } from '../support/source-text.ts'
import type { SourceFile } from '../support/violation.ts'

/** What stands below a marker: a statement, an element or a property, from its first character to its last. */
export type Region = { path: string; marker: string; start: number; end: number }

/** What was found, since hundreds of walls look into the same files. */
const known = new WeakMap<SourceFile, Region[]>()

/** Finds every marker, `// wall: what it keeps out`, with what stands below it, in the order of the lines. */
export function regionsIn(file: SourceFile): Region[] {
  const found = known.get(file) ?? findRegions(file)
  known.set(file, found)
  return found
}

function findRegions({ path, text }: SourceFile): Region[] {
  const markers = [...text.matchAll(/^ *\/\/ wall: (.+)$/gm)]
  if (markers.length === 0) return []
  const code = maskSource(text)
  return markers.map(({ index, 0: line, 1: marker = '' }) => {
    const start = index + line.length + code.slice(index + line.length).search(/\S/)
    return { path, marker, start, end: endOf(code, start) }
  })
}

/** The end of the line on which what begins at `start` is complete: closed, and followed by nothing deeper. */
function endOf(code: string, start: number): number {
  const open: string[] = []
  for (let at = start; at < code.length; at++) {
    const character = code.charAt(at)
    if (character === '\n' && open.length === 0 && !isContinued(code, start, at)) return at
    if (character === '`' && open.at(-1) === '`') open.pop()
    else if ('`([{'.includes(character)) open.push(character)
    else if (')]}'.includes(character)) open.pop()
  }
  return code.length
}

/** The layout is Biome's: what goes on is deeper than what it goes on from, but for an `else`. */
function isContinued(code: string, start: number, lineEnd: number): boolean {
  const next = /\n*( *)(\S+)/y
  next.lastIndex = lineEnd
  const [, indent = '', word = ''] = next.exec(code) ?? []
  return word === 'else' || (word !== '' && indent.length > indentAt(code, start))
}

function indentAt(code: string, start: number): number {
  return start - (code.lastIndexOf('\n', start) + 1)
}
