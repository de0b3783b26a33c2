import { setTimeout as delay } from 'node:timers/promises'
import type { MediaType } from '@mediamill/contract/domain/media'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import type { Service } from './service.ts'

/** How long a worker may leave a request of a medium that it has an engine for. */
const PATIENCE_MS = 4_000

/**
 * The media that this service has engines for: requests of the others wait in the queue for ever.
 *
 * Found by asking for a file that is not there: whoever has an engine takes the request, and finds nothing.
 */
export async function processedMedia(service: Service, missingUrl: string): Promise<MediaType[]> {
  const taken = await Promise.all(
    MEDIA_TYPES.map(async (media) => {
      const { body } = await service.call('POST', `/v1/${media}s/read`, { body: { source: missingUrl } })
      const end = performance.now() + PATIENCE_MS
      while (performance.now() < end) {
        const { body: now } = await service.call('GET', `/v1/requests/${body.id}`)
        if (now.status !== 'queued') return true
        await delay(50)
      }
      await service.call('POST', `/v1/requests/${body.id}/abort`)
      return false
    }),
  )
  return MEDIA_TYPES.filter((_, index) => taken[index])
}
