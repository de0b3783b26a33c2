import { lineAt, maskSource } from './source-text.ts'
import type { SourceFile } from './violation.ts'

/** A function of the project, from its name to its last line. */
export type Measured = { path: string; name: string; line: number; lines: number; holdsSql: boolean }

/** Where a function may begin: a declaration, a method, or an arrow that is given a name. */
const HEADS = [
  /\bfunction\s*\*?\s*(?<name>[\w$]+)\s*(?:<[^()]*>)?\(/g,
  /^ +(?:(?:async|static|override|get|set)\s+)*\*?(?<name>#?[\w$[\].]+)(?:<[^()]*>)?\(/gm,
  /\b(?:const|let)\s+(?<name>[\w$]+)[^=\n]*=\s*(?:async\s*)?(?:<[^()]*>)?\(/g,
  /^ +(?<name>[\w$]+):\s*(?:async\s*)?\(/gm,
]

const KEYWORDS = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'return', 'function', 'await'])

/** Measures every function of a file whose body is a block; an arrow with an expression is part of what holds it. */
export function functionsOf({ path, text }: SourceFile): Measured[] {
  const code = maskSource(text)
  const found = new Map<number, Measured>()
  for (const head of HEADS) {
    for (const match of code.matchAll(head)) {
      const name = match.groups?.['name'] ?? ''
      if (KEYWORDS.has(name)) continue
      const open = bodyAfter(code, closing(code, match.index + match[0].length - 1) + 1)
      if (open === undefined || found.has(open)) continue
      const start = match.index + match[0].search(/\S/)
      const end = closing(code, open)
      const [line, last] = [lineAt(text, start), lineAt(text, end)]
      const holdsSql = /\b(?:sql|tx)\s*(?:<[^`;]*>)?`/.test(code.slice(open, end))
      found.set(open, { path, name, line, lines: last - line + 1, holdsSql })
    }
  }
  return [...found.values()].toSorted((one, other) => one.line - other.line)
}

/** Where the bracket closes that opens at `start`. */
function closing(code: string, start: number): number {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    if ('([{'.includes(code.charAt(at))) depth++
    if (')]}'.includes(code.charAt(at))) depth--
    if (depth === 0) return at
  }
  return code.length
}

/** Where the body opens behind the parameters and a return type, if it is a block. */
function bodyAfter(code: string, from: number): number | undefined {
  let previous = ''
  for (let at = from; at < code.length; at++) {
    const character = code.charAt(at)
    if (character === '{' && !/^[:|&,<]$/.test(previous)) return at
    if (code.startsWith('=>', at)) {
      const body = at + 2 + code.slice(at + 2).search(/\S/)
      return code.charAt(body) === '{' ? body : undefined
    }
    if (/[;)}\]=`'"]/.test(character)) return undefined
    // A call ends with its line; a return type goes on after a colon or a bar.
    if (character === '\n' && !/^[:|]$/.test(previous)) return undefined
    if ('([{'.includes(character)) at = closing(code, at)
    if (character.trim() !== '') previous = character
  }
  return undefined
}
