import { readFileSync } from 'node:fs'
import type { MediaType } from '@mediamill/contract/domain/media'
import type { CatalogBody, CatalogOperation } from '@mediamill/contract/objects/catalog'

let read: CatalogBody['data'] | undefined

/**
 * What can be done with each kind of file (catalog.data.1).
 *
 * It comes with the command, so that flags, help and completion need no service; operations of a newer service are
 * passed with `--operation`.
 */
export function shippedCatalog(): CatalogBody['data'] {
  read ??= (JSON.parse(readFileSync(new URL('./catalog.json', import.meta.url), 'utf8')) as CatalogBody).data
  return read
}

/** The formats of screenshots and snapshots, the default first. */
export const STILL_FORMATS: readonly string[] = ['jpg', 'png']

/** Every operation of any medium, with all parameters that it has in one of them. */
export function allOperations(): Record<string, CatalogOperation> {
  const { image, video, document } = shippedCatalog()
  return { ...image.operations, ...video.operations, ...document.operations }
}

/** The media that an operation works on. */
export function mediaWith(operation: string): MediaType[] {
  const catalog = shippedCatalog()
  return (['image', 'video', 'document'] as const).filter((media) =>
    Object.hasOwn(catalog[media].operations, operation),
  )
}
