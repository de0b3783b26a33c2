import type { OutputFormat } from '@mediamill/contract/domain/media'
import type { MediaRequest, ResultFile } from '@mediamill/contract/domain/request'

export const keysOf = (files: readonly ResultFile[]): string[] =>
  files.flatMap(({ key, thumbnail }) => (thumbnail === undefined ? [key] : [key, thumbnail]))

const MAX_SHOWN_BYTES = 256 * 1024

/** If a result has more pixels, the console shows only its thumbnail. */
const MAX_SHOWN_PIXELS = 2_200_000

const SHOWN_FORMATS: ReadonlySet<OutputFormat> = new Set(['jpg', 'png', 'webp', 'gif'])

export type ShownFile = { key: string; format: OutputFormat }

export function keptFile(request: MediaRequest): ResultFile | undefined {
  if (request.status !== 'succeeded') return undefined
  const { files, deletedAt } = request
  return deletedAt === null || deletedAt.getTime() <= Date.now() ? undefined : files[0]
}

export function shownFile(request: MediaRequest): ShownFile | undefined {
  const file = keptFile(request)
  if (file === undefined || request.status !== 'succeeded') return undefined
  const { key, format, size, thumbnail } = file
  if (thumbnail !== undefined) return { key: thumbnail, format: thumbnail.endsWith('.png') ? 'png' : 'webp' }
  const pixels = Number(request.data['width']) * Number(request.data['height'])
  const isSmall = size <= MAX_SHOWN_BYTES && pixels <= MAX_SHOWN_PIXELS
  return isSmall && SHOWN_FORMATS.has(format) ? { key, format } : undefined
}
