import { formatBytes } from '@mediamill/contract/lib/format-text'

/** Prints one fact of `result.data` for people: `160.2 KB`, `595.3 × 841.9 pt`, `yes`, `none`. */
export function factText(name: string, value: unknown): string {
  if (name === 'size' && typeof value === 'number') return formatBytes(value)
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (typeof value !== 'object') return ''
  const facts = Object.entries(value).map(([key, part]) => [key, factText(key, part)] as const)
  const { width, height, unit = '' } = Object.fromEntries(facts)
  if (width === undefined || height === undefined) return facts.map((fact) => fact.join(' ')).join(', ')
  return `${width} × ${height} ${unit}`.trim()
}
