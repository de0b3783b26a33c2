export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/\s+/g, ' ')
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

export function formatJson(value: unknown, indent = '', before = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((item) => formatJson(item, deeper))]
    : ['{', '}', Object.entries(value).map(([name, item]) => `"${name}": ${formatJson(item, deeper, name)}`)]
  const line = `${open}${items.join(', ')}${close}`
  if (indent !== '' && !line.includes('\n') && indent.length + before.length + line.length <= LONGEST_LINE) return line
  return `${open}\n${items.map((item) => `${deeper}${item}`).join(',\n')}\n${indent}${close}`
}

const LONGEST_LINE = 68
