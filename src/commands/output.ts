import { styleText } from 'node:util'

/** Prints what a command found out: JSON for programs, or text for people. */
export function print(json: boolean, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0) : text()}\n`)
}

/** Names and values under each other, the values in one column. */
export function describeFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `  ${quiet(name.padEnd(width))}  ${value}`).join('\n')
}

/** Rows under their headings, each column as wide as its widest cell. */
export function describeTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [quiet(line(headings)), ...rows.map(line)].join('\n')
}

/** Styles only where stdout is a terminal that shows them. */
export const strong = (text: string) => styleText('bold', text, { stream: process.stdout })
export const quiet = (text: string) => styleText('dim', text, { stream: process.stdout })
export const good = (text: string) => styleText('green', text, { stream: process.stdout })
