import { Details } from './details.tsx'
import { formatBytes, formatCount, formatName } from './format.ts'
import { textOf } from './text-of.ts'

export function ResultDetails({ data }: { data: Record<string, unknown> }) {
  const details = Object.entries(data).map(([name, value]) => [formatName(name), formatField(name, value)])
  return <Details details={Object.fromEntries(details)} />
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const UNITS: Record<string, (value: number) => string> = {
  size: formatBytes,
  bitrate: (value) =>
    value < 1_000_000 ? `${formatCount(Math.round(value / 1000))} kbit/s` : `${(value / 1_000_000).toFixed(1)} Mbit/s`,
  duration: (value) => `${String(value)} s`,
  seconds: (value) => `${String(value)} s`,
  width: (value) => `${String(value)} px`,
  height: (value) => `${String(value)} px`,
  frame_rate: (value) => `${String(value)} fps`,
  audio_sample_rate: (value) => `${formatCount(value)} Hz`,
  rotation: (value) => `${String(value)}°`,
}

function formatField(name: string, value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return UNITS[name]?.(value) ?? String(value)
  if (isObject(value) && 'width' in value) {
    return `${textOf(value['width'])} × ${textOf(value['height'])} ${textOf(value['unit'])}`.trimEnd()
  }
  if (Array.isArray(value)) return value.map((part) => formatField(name, part)).join(', ') || 'none'
  if (isObject(value)) return Object.values(value).map(textOf).join(' ')
  return textOf(value)
}
