import { apiUrl } from './call.ts'
import { localUrl } from './local-url.ts'

/**
 * Returns the URL from which this page can load a source. Returns `undefined` for other hosts, because the content
 * policy blocks them.
 *
 * Only pages of the account that owns an upload can load the upload.
 */
export function shownUrl(source: string): string | undefined {
  const upload = /^upload:(upl_[0-9a-f]{32})$/.exec(source)?.[1]
  if (upload !== undefined) return apiUrl(`/uploads/${upload}/content`)
  const local = localUrl(source)
  return local === source ? undefined : local
}
