import type { MediaRequest, SucceededRequest } from '../api-types.ts'
import { MediamillError } from '../errors/mediamill-error.ts'
import type { Downloadable } from '../files/result-file.ts'
import type { Endpoint } from '../waiting/starter.ts'
import type { Documents, Images, Videos } from './media.ts'

export type Groups = { images: Images; videos: Videos; documents: Documents }

export type Succeeded = Downloadable<SucceededRequest>

/** Returns the endpoint with a name. It accepts any body, because the service validates the body. */
export function endpointOf(client: Groups, name: string): Endpoint<Record<string, unknown>, MediaRequest, Succeeded> {
  const [group = '', verb = ''] = name.split('/')
  const { images, videos, documents } = client
  // The endpoints have different types, and `name` is known only at run time.
  const groups = { images, videos, documents } as unknown as Record<
    string,
    Record<string, ReturnType<typeof endpointOf>>
  >
  const found = groups[group]?.[verb]
  if (found === undefined) throw new MediamillError(`There is no endpoint "${name}".`)
  return found
}
