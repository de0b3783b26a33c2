import { formatBytes } from '../../domain/limits.ts'

/** Prints one fact of `result.data` for people: `160.2 KB`, `595.3 × 841.9 pt`, `yes`, `none`. */
export function factText(name: string, value: unknown): string {
  if (name === 'size' && typeof value === 'number') return formatBytes(value)
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return String(value)
  const { width, height, unit, ...rest } = value as Record<string, unknown>
  const size = width === undefined || height === undefined ? [] : [`${width} × ${height}${unit ? ` ${unit}` : ''}`]
  return [...size, ...Object.entries(rest).map(([key, part]) => `${key} ${factText(key, part)}`)].join(', ')
}
