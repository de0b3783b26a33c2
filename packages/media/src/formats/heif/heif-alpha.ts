import type { HeifItems } from './heif-items.ts'

type HeifAlpha = { item: number; isPremultiplied: boolean }

const ALPHA = /^urn:mpeg:(?:mpegB:cicp:systems:auxiliary:alpha|hevc:2015:auxid:1)\0/

/** Returns the alpha plane of the primary image. */
export function alphaOf({ primary, properties, references }: HeifItems): HeifAlpha | undefined {
  const isAlpha = (item: number) =>
    (properties.get(item) ?? []).some(({ type, body }) => type === 'auxC' && ALPHA.test(body.toString('latin1', 4)))
  const planes = references.filter(({ type, to }) => type === 'auxl' && to.includes(primary))
  const item = planes.find(({ from }) => isAlpha(from))?.from
  if (item === undefined) return undefined
  const isPremultiplied = references.some(
    ({ type, from, to }) => type === 'prem' && from === primary && to.includes(item),
  )
  return { item, isPremultiplied }
}
