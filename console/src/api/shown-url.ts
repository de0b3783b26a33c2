import { apiUrl } from './call.ts'
import { localUrl } from './local-url.ts'

/**
 * Where this page can load a source from. `undefined` for an address elsewhere, which the policy lets it not ask.
 *
 * An upload is served to the pages of its own account alone.
 */
export function shownUrl(source: string): string | undefined {
  const upload = /^upload:(upl_[0-9a-f]{32})$/.exec(source)?.[1]
  if (upload !== undefined) return apiUrl(`/uploads/${upload}/content`)
  const local = localUrl(source)
  return local === source ? undefined : local
}
