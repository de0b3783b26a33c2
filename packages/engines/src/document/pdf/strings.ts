import type { PdfText } from './syntax.ts'

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Decodes a PDF string. Returns one character per byte, or `undefined` for other values (ISO 32000-1, 7.3.4). */
export function decodeString(text: PdfText | undefined): string | undefined {
  if (text?.startsWith('(') === true) return decodeLiteral(text.slice(1, -1))
  if (text?.startsWith('<') !== true || text.startsWith('<<')) return undefined
  const digits = text.replace(/[^0-9a-f]/gi, '')
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex').toString('latin1')
}

const decodeLiteral = (text: string) =>
  text.replace(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(Number.parseInt(escape, 8) & 0xff)
    if (/^[\r\n]/.test(escape)) return ''
    return ESCAPES[escape] ?? escape
  })
