export function describeSyntaxError(text: string): string {
  if (text.trim() === '') return 'it is empty'
  const index = errorIndex(text)
  if (index >= text.length) return 'it is incomplete'
  const before = text.slice(0, index).split('\n')
  const position = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  const hint = HINTS.find(([pattern]) => pattern.test(text.slice(index, index + 12)))?.[1]
  return hint === undefined ? position : `${position}: ${hint}`
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:\/\/|\/\*|#)/, 'remove the comment: JSON does not support comments'],
  [/^(?:[-+]?(?:NaN|Infinity)|undefined)/, 'JSON does not support this value'],
  [/^(?:True|False|None)/, 'write true, false, and null in lowercase'],
  [/^['‘’“”`\p{L}_$]/u, 'put names and strings in double quotes'],
  [/^[}\]]/, 'remove the comma before a closing bracket, and close each bracket with a matching bracket'],
  [/^=/, 'put a colon between a name and its value'],
]

/** The kind of a JSON token. `"` is a string, and `0` is a number, `true`, `false`, or `null`. */
type Kind = '"' | '0' | '{' | '}' | '[' | ']' | ',' | ':'

const VALUE = '"0{['

function errorIndex(text: string): number {
  const closings: string[] = []
  let expected = VALUE
  let isName = false
  let index = 0
  for (;;) {
    const { kind, start, end, errorAt } = readToken(text, index)
    if (kind === undefined) return errorAt ?? end
    if (!expected.includes(kind)) return start
    if (errorAt !== undefined) return errorAt
    if (kind === '{' || kind === '[') closings.push(kind === '{' ? '}' : ']')
    if (kind === '}' || kind === ']') closings.pop()
    const closing = closings.at(-1)
    const wasName = isName
    isName = kind === '{' || (kind === ',' && closing === '}')
    if (kind === '{') expected = '"}'
    else if (kind === '[') expected = `${VALUE}]`
    else if (kind === ':' || kind === ',') expected = isName ? '"' : VALUE
    else if (wasName && kind === '"') expected = ':'
    else expected = closing === undefined ? '' : `,${closing}`
    index = end
  }
}

type Token = { kind: Kind | undefined; start: number; end: number; errorAt?: number }

const BLANKS = /[ \t\r\n]*/y
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y
/** Matches an incomplete number or constant at the end of a truncated JSON text. */
const BROKEN_OFF = /^(?:-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?)?)?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/

function readToken(text: string, from: number): Token {
  const start = endOf(BLANKS, text, from) ?? from
  const character = text.charAt(start)
  if (character === '') return { kind: undefined, start, end: text.length }
  if (character === '"') return readText(text, start)
  if (/[{}[\],:]/.test(character)) return { kind: character as Kind, start, end: start + 1 }
  const end = endOf(SCALAR, text, start)
  if (end !== undefined) return { kind: '0', start, end }
  const isBrokenOff = text.length - start < 400 && BROKEN_OFF.test(text.slice(start))
  return { kind: undefined, start, end: isBrokenOff ? text.length : start }
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Reads a string without a regular expression, which would store a position for each character. */
function readText(text: string, start: number): Token {
  const broken = (errorAt: number): Token => ({ kind: '"', start, end: errorAt, errorAt })
  for (let end = start + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === QUOTE) return { kind: '"', start, end: end + 1 }
    if (code < 0x20) return broken(end)
    if (code !== BACKSLASH) continue
    const rest = text.slice(end + 1, end + 6)
    const escape = /^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.exec(rest)
    if (escape === null) return broken(rest.length < 5 && /^(?:u[\da-fA-F]*)?$/.test(rest) ? text.length : end)
    end += escape[0].length
  }
  return broken(text.length)
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
