import type { Estimate, MediaRequest, SucceededRequest } from '@mediamill/sdk/src/api-types'
import type { Downloadable } from '@mediamill/sdk/src/files/result-file'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import type { Endpoint } from '@mediamill/sdk/src/waiting/starter'

type Succeeded = Downloadable<SucceededRequest>
type AnyEndpoint = Endpoint<Record<string, unknown>, MediaRequest, Succeeded>

export type { Estimate, Succeeded }

/** Returns the SDK's function for an endpoint. It accepts any body, because the service validates the body. */
export function endpointOf(service: Mediamill, name: string): AnyEndpoint {
  const [group = '', verb = ''] = name.split('/')
  const groups = { images: service.images, videos: service.videos, documents: service.documents } as unknown as Record<
    string,
    Record<string, AnyEndpoint>
  >
  const found = groups[group]?.[verb]
  if (found === undefined) throw new RangeError(`no such endpoint: ${name}`)
  return found
}
