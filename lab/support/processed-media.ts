import { setTimeout as delay } from 'node:timers/promises'
import type { MediaType } from '@mediamill/contract/domain/media'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import type { Service } from './service.ts'

/** A worker claims a request of a media type that it supports within this time. */
const TIMEOUT_MS = 4_000

/**
 * Returns the media types that the workers of a service process. Sends a request for a missing file of each media type:
 * if a worker claims the request, it fails; otherwise, it stays queued.
 */
export async function processedMedia(service: Service, missingUrl: string): Promise<MediaType[]> {
  const taken = await Promise.all(
    MEDIA_TYPES.map(async (media) => {
      const { body } = await service.call('POST', `/v1/${media}s/read`, { body: { source: missingUrl } })
      const end = performance.now() + TIMEOUT_MS
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
