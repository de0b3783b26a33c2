export function joinList(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  if (words.length < 3) return words.join(` ${last} `)
  return `${words.slice(0, -1).join(', ')}, ${last} ${words.at(-1)}`
}

/** Formats the name of a field for a message: `operations[0].width` for `operations.0.width`. */
export const formatParam = (param: string): string => param.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')

export function quoteValue(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' ? quoteText(value) : 'an object'
}

/** Quotes the start of untrusted text. The quote is a single line without control characters. */
export function quoteText(text: string): string {
  const line = text
    .slice(0, 4 * MAX_SHOWN)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  const characters = [...line]
  return JSON.stringify(characters.length <= MAX_SHOWN ? line : `${characters.slice(0, MAX_SHOWN).join('')}…`)
}

const MAX_SHOWN = 40

/** Matches control characters except line feed and tab, bidirectional controls, and line and paragraph separators. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Escapes control characters as in JSON, so that untrusted text cannot control a terminal. JSON text stays valid. */
export const escapeControls = (text: string): string =>
  text.replaceAll(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const formatCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Formats a size for messages: `25 MB`, where 1 MB is 1024² bytes. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let unit = 0
  let amount = bytes
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${Number(amount.toFixed(1))} ${units[unit]}`
}
