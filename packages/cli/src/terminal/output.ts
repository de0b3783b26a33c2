import { randomUUID } from 'node:crypto'
import { styleText } from 'node:util'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { escapeControls } from '@mediamill/contract/lib/format-text'

let unwritten: NodeJS.ErrnoException | undefined

export function print(json: boolean | undefined, value: unknown, text: () => string): void {
  const { stdout } = process
  watchStdout()
  writeOut(`${json === true ? JSON.stringify(value, null, stdout.isTTY ? 2 : 0) : textOf(text)}\n`)
}

/** Returns the result of `text`. Throws `OperatorError` if the data is malformed, such as an invalid date. */
function textOf(text: () => string): string {
  try {
    return text()
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause
    throw new OperatorError(
      `The response has data that this version cannot show (${cause.message}). Add --json to print the data.`,
      { cause },
    )
  }
}

/** Writes text to stdout. Escapes control characters, except the program's own styles. */
export function writeOut(text: string): void {
  process.stdout.write(toTerminal(text))
}

/** Random text that marks styles of this program. Untrusted text cannot contain it, and therefore sets no style. */
const OWN_STYLE = `\u001b${randomUUID()}`

export const toTerminal = (text: string): string => text.split(OWN_STYLE).map(escapeControls).join('\u001b')

/** Stores an error of stdout, which `written` throws later. Without a listener, the error would end the process. */
export function watchStdout(): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', (error) => void (unwritten ??= error))
}

/** Throws if output was lost, for example on a full disk. The output may be a new key, which is shown only once. */
export async function written(): Promise<void> {
  await new Promise<void>((resolve) => void process.stdout.write('', () => resolve()))
  // EPIPE is not an error: a reader such as `head` closed the pipe early.
  if (unwritten === undefined || unwritten.code === 'EPIPE') return
  throw new OperatorError(`The command succeeded, but its output could not be written (${unwritten.code}).`)
}

/** Returns untrusted text, such as a file name, on one line and without control characters. */
export const visible = (text: string): string => escapeControls(text).replaceAll('\n', String.raw`\n`)

export function describeFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `  ${quiet(name.padEnd(width))}  ${value}`).join('\n')
}

export function describeTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.replaceAll('\n', String.raw`\n`).padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [quiet(line(headings)), ...rows.map(line)].join('\n')
}

export function describeTime(at: Date, isTerminal = process.stdout.isTTY === true): string {
  if (!isTerminal) return at.toISOString()
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`
}

function styled(style: 'bold' | 'dim' | 'green' | 'red', text: string): string {
  return styleText(style, escapeControls(text), { stream: process.stdout }).replaceAll('\u001b[', `${OWN_STYLE}[`)
}

/** Adds a style for `writeOut` and `print`. If the terminal supports no styles, the text stays unchanged. */
export const strong = (text: string) => styled('bold', text)
export const quiet = (text: string) => styled('dim', text)
export const good = (text: string) => styled('green', text)
export const bad = (text: string) => styled('red', text)
