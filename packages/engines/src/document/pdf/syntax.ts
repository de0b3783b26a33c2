/** A value in PDF syntax, such as `[ 0 0 612 792]`, `12 0 R`, or `<</Type/Page>>`. One character is one byte. */
export type PdfText = string

/** The entries of a dictionary in file order. Keys are decoded names without the slash. */
export type PdfDictionary = Map<string, PdfText>

/** Classes of characters (ISO 32000-1, 7.2.2): white space, delimiters, and others. */
const WHITE = 1
const DELIMITER = 2
const KINDS = new Uint8Array(256)
for (const char of '\0\t\n\f\r ') KINDS[char.charCodeAt(0)] = WHITE
for (const char of '()<>[]{}/%') KINDS[char.charCodeAt(0)] = DELIMITER

const PLAIN = /[^()<>[\]{}%]*/y

const PERCENT = 0x25
const OPEN = 0x28
const CLOSE = 0x29
const SLASH = 0x2f
const LESS = 0x3c
const GREATER = 0x3e
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_R = 0x52

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

export function skipWhite(text: string, at: number): number {
  let next = at
  for (;;) {
    const code = text.charCodeAt(next)
    if (code === PERCENT) next = lineEnd(text, next)
    else if (KINDS[code] === WHITE) next += 1
    else return next
  }
}

function lineEnd(text: string, at: number): number {
  let next = at
  while (next < text.length && text[next] !== '\r' && text[next] !== '\n') next += 1
  return next
}

/** Returns the offset after a value, or -1. Not recursive, because a malicious file can nest without limit. */
export function skipValue(text: string, at: number): number {
  let depth = 0
  let next = at
  do {
    if (depth > 0) next = skipPlain(text, next)
    else next = skipWhite(text, next)
    const code = text.charCodeAt(next)
    const isPair = (code === LESS || code === GREATER) && text.charCodeAt(next + 1) === code
    if (code === OPEN_ARRAY || (isPair && code === LESS)) depth += 1
    else if (code === CLOSE_ARRAY || (isPair && code === GREATER)) depth -= 1
    if (isPair) next += 2
    else if (code === OPEN_ARRAY || code === CLOSE_ARRAY) next += 1
    else if (code === PERCENT) next = lineEnd(text, next)
    else next = skipScalar(text, next, code)
    if (next === -1 || depth < 0) return -1
  } while (depth > 0)
  return next
}

function skipPlain(text: string, at: number): number {
  PLAIN.lastIndex = at
  PLAIN.test(text)
  return PLAIN.lastIndex
}

function skipScalar(text: string, at: number, code: number): number {
  if (code === SLASH) return skipRegular(text, at + 1)
  if (code === OPEN) return skipString(text, at)
  if (code === LESS) return text.indexOf('>', at) + 1 || -1
  const end = isDigit(code) ? referenceEnd(text, at) : -1
  if (end !== -1) return end
  const regular = skipRegular(text, at)
  return regular === at ? -1 : regular
}

function skipRegular(text: string, at: number): number {
  let next = at
  while (KINDS[text.charCodeAt(next)] === 0) next += 1
  return next
}

function referenceEnd(text: string, at: number): number {
  let next = at
  for (let part = 0; part < 2; part += 1) {
    const start = next
    while (isDigit(text.charCodeAt(next))) next += 1
    const end = next
    while (KINDS[text.charCodeAt(next)] === WHITE) next += 1
    if (end === start || next === end) return -1
  }
  return text.charCodeAt(next) === LETTER_R && KINDS[text.charCodeAt(next + 1)] !== 0 ? next + 1 : -1
}

function skipString(text: string, at: number): number {
  let depth = 0
  for (let next = at; next < text.length; next += 1) {
    const code = text.charCodeAt(next)
    if (code === BACKSLASH) next += 1
    else if (code === OPEN) depth += 1
    else if (code === CLOSE) {
      depth -= 1
      if (depth === 0) return next + 1
    }
  }
  return -1
}

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
    // Like PDFium, ignores a pair whose key is not a name.
    if (text[at] === '/') entries.set(decodeName(text.substring(at + 1, nameEnd)), text.substring(start, end))
    at = skipWhite(text, end)
  }
  return entries
}

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

export function readReference(text: PdfText | undefined): number | undefined {
  if (text === undefined) return undefined
  return referenceEnd(text, skipWhite(text, 0)) === -1 ? undefined : Number.parseInt(text, 10)
}

export function readNumber(text: PdfText | undefined): number | undefined {
  if (text === undefined || !/^[\s\0]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)[\s\0]*$/.test(text)) return undefined
  return Number(text)
}

export function readName(text: PdfText | undefined): string | undefined {
  return text?.startsWith('/') === true ? decodeName(text.slice(1)) : undefined
}

const decodeName = (name: string) =>
  name.includes('#')
    ? name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : name

const encodeName = (name: string) =>
  name.replace(/[^!-~]|[#()<>[\]{}/%]/g, (char) => `#${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

export function writeDictionary(entries: Iterable<readonly [string, PdfText]>): PdfText {
  let text = '<<'
  for (const [name, value] of entries) text += `/${encodeName(name)}${/^[/[<(]/.test(value) ? '' : ' '}${value}`
  return `${text}>>`
}

export const writeArray = (elements: readonly PdfText[]): PdfText => `[${elements.join(' ')}]`

export const writeReference = (number: number): PdfText => `${number} 0 R`

/**
 * Writes a number with at most 4 decimals. PDF does not support exponents. 4 decimals are more precise than any device.
 */
export function writeNumber(value: number): PdfText {
  const text = value.toFixed(4)
  return text.includes('.') ? text.replace(/\.?0{1,4}$/, '').replace(/^-0$/, '0') : text
}

const REFERENCE = /(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R\b/g

/** Returns the numbers of the objects that a value refers to. Ignores text in strings and comments. */
export function referencesIn(text: PdfText): number[] {
  const found: number[] = []
  for (let at = 0; at !== -1 && at < text.length; ) {
    let end = at
    while (end < text.length && text.charCodeAt(end) !== OPEN && text.charCodeAt(end) !== PERCENT) end += 1
    const next = text.charCodeAt(end) === OPEN ? skipString(text, end) : lineEnd(text, end)
    // Text after a string without an end may contain references.
    const plain = text.substring(at, next === -1 ? text.length : end)
    for (const match of plain.matchAll(REFERENCE)) found.push(Number(match[1]))
    at = next
  }
  return found
}
