/** The limits of an account for all keys of one mode, test or live (limits.counting.1). */
export type Limits = { requestsPerMinute: number; concurrentRequests: number; maxSourceBytes: number }

export const TIERS = ['free', 'paid'] as const
export type Tier = (typeof TIERS)[number]

const MIB = 1024 * 1024

export const TEST_LIMITS: Limits = { requestsPerMinute: 10, concurrentRequests: 2, maxSourceBytes: 10 * MIB }
export const LIVE_LIMITS: Record<Tier, Limits> = {
  free: { requestsPerMinute: 30, concurrentRequests: 2, maxSourceBytes: 25 * MIB },
  paid: { requestsPerMinute: 120, concurrentRequests: 10, maxSourceBytes: 2048 * MIB },
}

export const MAX_OWN_LIMITS = {
  requestsPerMinute: 1_000_000,
  concurrentRequests: 1_000_000,
  maxSourceBytes: Number.MAX_SAFE_INTEGER,
} as const

/** How many calls that a handler rejects with 403 or 429 one API process uncounts per account, mode, and minute. */
export const UNCOUNTED_PER_MINUTE = 600

/** The maximum number of requests that are accepted from test keys per UTC day (limits.daily.1). */
export const TEST_REQUESTS_PER_DAY = 100

export const MAX_FRAME_PIXELS = 100_000_000
export const MAX_SOURCE_PIXELS = 400_000_000
export const MAX_WATERMARK_BYTES = 25 * MIB
export const MAX_RESULT_BYTES = { image: 512 * MIB, video: 2048 * MIB, document: 512 * MIB } as const
export const DEADLINE_MS = { image: 60_000, document: 300_000, video: 4 * 3_600_000 } as const

/** The limits of the fields of a call (limits.fields.1). Lengths of texts are in Unicode code points. */
export const MAX_BODY_BYTES = MIB
export const MAX_URL_LENGTH = 2048
export const MAX_CUSTOMER_LENGTH = 64
export const MAX_METADATA = { keys: 20, keyLength: 40, valueLength: 500 } as const
export const MAX_OPERATIONS = 20
export const MAX_OUTPUTS = 20
/** The minimum of `max_bytes`. The header of a file alone takes several hundred bytes. */
export const MIN_MAX_BYTES = 1_000
export const MAX_FURTHER_SOURCES = 20
export const MAX_PAGES = 2000
export const MAX_DESTINATION = { headers: 20, nameLength: 100, valueLength: 2048 } as const
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255

export const MAX_TEMPLATE = { bytes: 16 * 1024, variables: 50, values: 100, descriptionLength: 200 } as const
export const MAX_TEMPLATE_VERSIONS = 1_000
export const MAX_VARIABLE_LENGTH = 2048

export const LIST_LIMIT = { default: 20, maximum: 100 } as const

/** The duration of a long poll in seconds (waiting.prefer.2). Many proxies time out after a minute. */
export const WAIT_SECONDS = { default: 20, maximum: 55 } as const

/** The maximum number of open long polls of a process. All accounts that never bought credit share `unpaid`. */
export const MAX_LONG_POLLS = { unpaid: 1_000, process: 2_000 } as const
export const LONG_POLLS_PER_REQUEST = 2

export const MAX_CONNECTIONS = 10_000
export const MAX_CONNECTIONS_PER_ADDRESS = 1_000

export const MAX_STREAM_SECONDS = 900

export const USAGE_DAYS = { default: 30, maximum: 92 } as const

/** Limits of the console, counted in each process (console.limits.1). */
export const CONSOLE_LIMITS = {
  callsPerMinute: 1_200,
  largeBodyBytes: 64 * 1024,
  largeBodiesPerMinute: 120,
  failedSignInsPerMinute: 30,
  keySignInsPerMinute: 30,
  webhookTestsPerMinute: 10,
  activeKeys: 100,
} as const

/** The maximum number of attempts. A request fails if its worker is lost this many times (requests.states.4). */
export const MAX_ATTEMPTS = 3

export function limitsOf(key: {
  livemode: boolean
  tier: Tier
  own: { [K in keyof Limits]?: Limits[K] | null }
}): Limits {
  if (!key.livemode) return TEST_LIMITS
  const tier = LIVE_LIMITS[key.tier]
  return {
    requestsPerMinute: key.own.requestsPerMinute ?? tier.requestsPerMinute,
    concurrentRequests: key.own.concurrentRequests ?? tier.concurrentRequests,
    maxSourceBytes: key.own.maxSourceBytes ?? tier.maxSourceBytes,
  }
}
