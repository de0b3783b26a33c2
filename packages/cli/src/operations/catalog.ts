import { readFileSync } from 'node:fs'
import type { MediaType } from '@mediamill/contract/domain/media'
import type { CatalogBody, CatalogOperation } from '@mediamill/contract/objects/catalog'

let read: CatalogBody['data'] | undefined

/** Returns the catalog in the package. It is part of the package, so that help needs no service. */
export function shippedCatalog(): CatalogBody['data'] {
  read ??= (JSON.parse(readFileSync(new URL('./catalog.json', import.meta.url), 'utf8')) as CatalogBody).data
  return read
}

export function formatNamed(typed: string): string {
  const lower = typed.toLowerCase()
  return { jpeg: 'jpg', tiff: 'tif' }[lower] ?? lower
}

export const STILL_FORMATS: readonly string[] = ['jpg', 'png']

export function allOperations(): Record<string, CatalogOperation> {
  const { image, video, document } = shippedCatalog()
  return { ...image.operations, ...video.operations, ...document.operations }
}

export function mediaWith(operation: string): MediaType[] {
  const catalog = shippedCatalog()
  return (['image', 'video', 'document'] as const).filter((media) =>
    Object.hasOwn(catalog[media].operations, operation),
  )
}
