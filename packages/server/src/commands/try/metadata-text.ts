import { formatBytes } from '@mediamill/contract/lib/format-text'

/** Formats one value of `result.data` for people: `160.2 KB`, `595.3 × 841.9 pt`, `yes`, `none`. */
export function metadataText(name: string, value: unknown): string {
  if (name === 'size' && typeof value === 'number') return formatBytes(value)
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (typeof value !== 'object') return ''
  const metadata = Object.entries(value).map(([key, part]) => [key, metadataText(key, part)] as const)
  const { width, height, unit = '' } = Object.fromEntries(metadata)
  if (width === undefined || height === undefined) return metadata.map((field) => field.join(' ')).join(', ')
  return `${width} × ${height} ${unit}`.trim()
}
