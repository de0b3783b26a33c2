import { maskSource } from '../../support/source-text.ts'
import type { SourceFile } from '../../support/violation.ts'

/** The code of a security check: the statement, array element, or property below a marker. */
export type Region = { path: string; marker: string; start: number; end: number }

/** The regions of each file. Cached, because many checks use the same file. */
const known = new WeakMap<SourceFile, Region[]>()

/** Returns the region below each comment `// security check: NAME`, in the order of the file. */
export function regionsIn(file: SourceFile): Region[] {
  const found = known.get(file) ?? findRegions(file)
  known.set(file, found)
  return found
}

function findRegions({ path, text }: SourceFile): Region[] {
  const markers = [...text.matchAll(/^ *\/\/ security check: (.+)$/gm)]
  if (markers.length === 0) return []
  const code = maskSource(text)
  return markers.map(({ index, 0: line, 1: marker = '' }) => {
    const start = index + line.length + code.slice(index + line.length).search(/\S/)
    return { path, marker, start, end: endOf(code, start) }
  })
}

/** Returns the end of a region: the first line end at which all brackets are closed and the code does not continue. */
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

/** Returns whether a line continues the code: in Biome's format, it is indented more or starts with `else`. */
function isContinued(code: string, start: number, lineEnd: number): boolean {
  const next = /\n*( *)(\S+)/y
  next.lastIndex = lineEnd
  const [, indent = '', word = ''] = next.exec(code) ?? []
  return word === 'else' || (word !== '' && indent.length > indentAt(code, start))
}

function indentAt(code: string, start: number): number {
  return start - (code.lastIndexOf('\n', start) + 1)
}
