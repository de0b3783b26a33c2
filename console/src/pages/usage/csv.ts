import type { Usage } from '../../api/objects.ts'
import { textOf } from '../../components/text-of.ts'

export function csvOf(usage: Usage): string {
  const names = [usage.group_by, 'requests', 'succeeded', 'failed', 'spent', 'source_bytes', 'result_bytes']
  const lines = usage.data.map((row) => {
    const fields: Record<string, unknown> = row
    return names.map((name) => cell(fields[name])).join(',')
  })
  return `${[names.join(','), ...lines].join('\r\n')}\r\n`
}

/** Formats a cell. Text that a spreadsheet would run as a formula (`=`, `+`, `-`, `@`) gets an apostrophe. */
function cell(value: unknown): string {
  const text = textOf(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function saveText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
