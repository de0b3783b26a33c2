/** Words as a sentence lists them: `a, b and c`. */
export function listed(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** Shows the name of a field in a message: `operations[0].width` for `operations.0.width`. */
export const shownParam = (param: string): string => param.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')

/** Shows a value in a message: "red", 30000, null, an array. */
export function shown(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'string' ? quoted(value) : 'an object'
}

/** Quotes the beginning of a stranger's text. It stays on one line and is harmless wherever it is shown. */
export function quoted(text: string): string {
  const line = text
    .slice(0, 4 * MAX_SHOWN)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  const characters = [...line]
  return JSON.stringify(characters.length <= MAX_SHOWN ? line : `${characters.slice(0, MAX_SHOWN).join('')}…`)
}

/** Characters of a value that a message repeats. */
const MAX_SHOWN = 40
