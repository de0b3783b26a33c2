import type { Random } from '../support/random.ts'
import type { DestinationKind } from './destinations.ts'
import type { SourceKind } from './sources.ts'
import type { Arrival } from './uploader.ts'

/** A plan for one request, which a client must run exactly once. */
export type RequestPlan = {
  /** The metadata and the Idempotency-Key of the request contain this number. */
  number: number
  account: number
  live: boolean
  endpoint: 'process' | 'read'
  source: SourceKind
  /** Sources of the kinds `slow` and `missing` are always URLs. */
  arrival: Arrival
  /** The state of the upload after the service has accepted the request. */
  uploadEnds: 'deleted' | 'expired' | 'kept'
  destination: DestinationKind | undefined
  waits: boolean
  webhook: boolean
  /** Whether the same call is sent to all API servers at the same time. */
  isDoubled: boolean
  /** The time from the acceptance to the abort call. If `undefined`, the client does not abort the request. */
  abortAfterMs: number | undefined
  /** Whether the request uses an operation that only the newer of the two running versions supports. */
  isNewer?: true
  /** Whether the client polls until the request is final, and then downloads the result. */
  isFollowed: boolean
}

/** One in this many planned requests is for a long video, which the service splits. */
const VIDEO_EVERY = 60
const FIRST_VIDEO = 12

/** About a third of the requests upload their file, and about a tenth send the result to a client's bucket. */
export function drawRequestPlans(count: number, accounts: number, random: Random): RequestPlan[] {
  return Array.from({ length: count }, (_, number) => {
    const isVideo = number % VIDEO_EVERY === FIRST_VIDEO
    const drawn = drawSource(random)
    const source = isVideo ? 'video' : drawn
    const endpoint = random.chance(0.75) || isVideo ? 'process' : 'read'
    return {
      number,
      account: number % accounts,
      live: !random.chance(0.12),
      endpoint,
      source,
      arrival: drawArrival(source, random),
      uploadEnds: random.pick(['deleted', 'expired', 'kept', 'kept']),
      destination: endpoint === 'process' && random.chance(0.12) ? drawDestination(random) : undefined,
      waits: random.chance(0.3),
      webhook: random.chance(0.5),
      isDoubled: random.chance(0.15),
      abortAfterMs:
        random.chance(0.06) || (isVideo && random.chance(0.2)) ? random.integer(0, isVideo ? 8_000 : 1_500) : undefined,
      isFollowed: random.chance(0.3),
    }
  })
}

function drawArrival(source: SourceKind, random: Random): Arrival {
  const arrival = random.chance(0.35) ? random.pick(['whole', 'pieces', 'form'] as const) : 'url'
  return source === 'slow' || source === 'missing' ? 'url' : arrival
}

function drawDestination(random: Random): DestinationKind {
  const lot = random.number()
  if (lot < 0.65) return 'willing'
  if (lot < 0.8) return 'failing'
  return lot < 0.95 ? 'breaking' : 'denying'
}

function drawSource(random: Random): SourceKind {
  const lot = random.number()
  if (lot < 0.55) return 'small'
  if (lot < 0.8) return 'large'
  if (lot < 0.9) return 'slow'
  return random.pick(['missing', 'text', 'damaged'])
}
