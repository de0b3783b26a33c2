import { formatBytes } from '@mediamill/contract/lib/format-text'
import { shared } from '../text.ts'
import { Details } from './details.tsx'
import { formatCount, formatName } from './format.ts'
import { textOf } from './text-of.ts'

export function ResultDetails({ data }: { data: Record<string, unknown> }) {
  const details = Object.entries(data).map(([name, value]) => [formatName(name), formatField(name, value)])
  return <Details details={Object.fromEntries(details)} />
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const UNITS: Record<string, (value: number) => string> = {
  size: formatBytes,
  bitrate: (value) =>
    value < 1_000_000
      ? shared.kilobits(formatCount(Math.round(value / 1000)))
      : shared.megabits((value / 1_000_000).toFixed(1)),
  duration: shared.seconds,
  seconds: shared.seconds,
  width: shared.pixels,
  height: shared.pixels,
  frame_rate: shared.framesPerSecond,
  audio_sample_rate: (value) => shared.hertz(formatCount(value)),
  rotation: (value) => `${String(value)}°`,
}

function formatField(name: string, value: unknown): string {
  if (value === null) return shared.none
  if (typeof value === 'boolean') return value ? shared.yes : shared.no
  if (typeof value === 'number') return UNITS[name]?.(value) ?? String(value)
  if (isObject(value) && 'width' in value) {
    return `${textOf(value['width'])} × ${textOf(value['height'])} ${textOf(value['unit'])}`.trimEnd()
  }
  if (Array.isArray(value)) return value.map((part) => formatField(name, part)).join(', ') || shared.none
  if (isObject(value)) return Object.values(value).map(textOf).join(' ')
  return textOf(value)
}
