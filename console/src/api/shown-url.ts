import { apiUrl } from './call.ts'
import { localUrl } from './local-url.ts'

/**
 * Returns the URL to show a source from, or `undefined` for other hosts, which the content policy blocks.
 * Only pages of the account that owns an upload can load it.
 */
export function shownUrl(source: string): string | undefined {
  const upload = /^upload:(upl_[0-9a-f]{32})$/.exec(source)?.[1]
  if (upload !== undefined) return apiUrl(`/uploads/${upload}/content`)
  const local = localUrl(source)
  return local === source ? undefined : local
}
