import { apiUrl } from './call.ts'
import { localUrl } from './local-url.ts'

/** Returns a URL from which this page can load a request's source, or `undefined` if another host stores it. */
export function shownUrl(source: string): string | undefined {
  const upload = /^upload:(upl_[0-9a-f]{32})$/.exec(source)?.[1]
  if (upload !== undefined) return apiUrl(`/uploads/${upload}/content`)
  const local = localUrl(source)
  return local === source ? undefined : local
}
