/** A value as it is written in a PDF, one byte a character: `[ 0 0 612 792]`, `12 0 R`, `<</Type/Page>>`. */
export type PdfText = string

/** The entries of a dictionary in their order, by decoded name without the slash. */
export type PdfDictionary = Map<string, PdfText>

const WHITE = /[\0\t\n\f\r ]*(?:%[^\r\n]*[\0\t\n\f\r ]*)*/y
const STRING_END = /[^()\\]*(?:\\[\s\S][^()\\]*)*/y
const REGULAR = /[^\0\t\n\f\r ()<>[\]{}/%]+/y
const REFERENCE = /(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y

/** Where the white space and comments at `at` end. */
export function skipWhite(text: string, at: number): number {
  WHITE.lastIndex = at
  WHITE.test(text)
  return WHITE.lastIndex
}

/**
 * Where the value that begins at `at` ends, or -1 when the text ends or breaks before it does.
 *
 * It counts brackets instead of calling itself: nesting in a hostile file has no bound.
 */
export function skipValue(text: string, at: number): number {
  let depth = 0
  let next = at
  do {
    next = skipWhite(text, next)
    const char = text[next]
    const pair = text.substring(next, next + 2)
    if (pair === '<<' || char === '[') depth += 1
    else if (pair === '>>' || char === ']') depth -= 1
    if (pair === '<<' || pair === '>>') next += 2
    else if (char === '[' || char === ']') next += 1
    else next = skipScalar(text, next)
    if (next === -1 || depth < 0) return -1
  } while (depth > 0)
  return next
}

function skipScalar(text: string, at: number): number {
  switch (text[at]) {
    case undefined:
      return -1
    case '(':
      return skipString(text, at)
    case '<': {
      const end = text.indexOf('>', at)
      return end === -1 ? -1 : end + 1
    }
    case '/':
      return endOf(REGULAR, text, at + 1) ?? at + 1
    default:
      return endOf(REFERENCE, text, at) ?? endOf(REGULAR, text, at) ?? -1
  }
}

function skipString(text: string, at: number): number {
  let depth = 0
  let next = at
  do {
    if (text[next] === '(') depth += 1
    else if (text[next] === ')') depth -= 1
    else return -1
    next += 1
    if (depth > 0) next = endOf(STRING_END, text, next) ?? next
  } while (depth > 0)
  return next
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** The entries of a dictionary; `undefined` when `text` does not begin with a whole one. */
export function readDictionary(text: PdfText | undefined): PdfDictionary | undefined {
  if (text === undefined) return undefined
  let at = skipWhite(text, 0)
  if (!text.startsWith('<<', at)) return undefined
  const entries: PdfDictionary = new Map()
  at = skipWhite(text, at + 2)
  while (!text.startsWith('>>', at)) {
    const nameEnd = skipValue(text, at)
    const start = skipWhite(text, nameEnd)
    const end = skipValue(text, start)
    if (nameEnd === -1 || end === -1) return undefined
    // A key that is no name is damage: its pair is left out, as PDFium leaves it out.
    if (text[at] === '/') entries.set(decodeName(text.substring(at + 1, nameEnd)), text.substring(start, end))
    at = skipWhite(text, end)
  }
  return entries
}

/** The elements of an array; `undefined` when `text` does not begin with a whole one. */
export function readArray(text: PdfText | undefined): PdfText[] | undefined {
  if (text === undefined) return undefined
  let at = skipWhite(text, 0)
  if (text[at] !== '[') return undefined
  const elements: PdfText[] = []
  at = skipWhite(text, at + 1)
  while (text[at] !== ']') {
    const end = skipValue(text, at)
    if (end === -1) return undefined
    elements.push(text.substring(at, end))
    at = skipWhite(text, end)
  }
  return elements
}

/** The number of the object that the value refers to, or `undefined` when it is no reference. */
export function readReference(text: PdfText | undefined): number | undefined {
  if (text === undefined) return undefined
  REFERENCE.lastIndex = skipWhite(text, 0)
  return REFERENCE.test(text) ? Number.parseInt(text, 10) : undefined
}

/** A finite number, or `undefined`. */
export function readNumber(text: PdfText | undefined): number | undefined {
  if (text === undefined || !/^[\s\0]*[-+]?(?:\d+\.?\d*|\.\d+)[\s\0]*$/.test(text)) return undefined
  return Number(text)
}

/** A name without its slash, or `undefined`. */
export function readName(text: PdfText | undefined): string | undefined {
  return text?.startsWith('/') === true ? decodeName(text.slice(1)) : undefined
}

const decodeName = (name: string) =>
  name.includes('#')
    ? name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : name

const encodeName = (name: string) =>
  name.replace(/[^!-~]|[#()<>[\]{}/%]/g, (char) => `#${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** A dictionary as it is written in a file. */
export function writeDictionary(entries: Iterable<readonly [string, PdfText]>): PdfText {
  let text = '<<'
  for (const [name, value] of entries) text += `/${encodeName(name)}${/^[/[<(]/.test(value) ? '' : ' '}${value}`
  return `${text}>>`
}

export const writeArray = (elements: readonly PdfText[]): PdfText => `[${elements.join(' ')}]`

export const writeReference = (number: number): PdfText => `${number} 0 R`

/** A number as PDF writes it: no exponent, at most 4 decimals, which is finer than any device at any zoom. */
export function writeNumber(value: number): PdfText {
  const text = value.toFixed(4)
  return text.includes('.') ? text.replace(/\.?0+$/, '').replace(/^-0$/, '0') : text
}

/** The numbers of all objects that a value refers to. Text in strings may look like a reference and is taken for one. */
export function referencesIn(text: PdfText): number[] {
  return Array.from(text.matchAll(/(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R(?![A-Za-z0-9])/g), (match) =>
    Number(match[1]),
  )
}
