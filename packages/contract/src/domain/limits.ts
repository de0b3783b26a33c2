/** The limits of an account with one kind of key (Spec 8). */
export type Limits = { requestsPerMinute: number; concurrentRequests: number; maxSourceBytes: number }

export const TIERS = ['free', 'paid'] as const
export type Tier = (typeof TIERS)[number]

const MIB = 1024 * 1024

/** Spec 8; sizes are binary (rulings 9). */
export const TEST_LIMITS: Limits = { requestsPerMinute: 10, concurrentRequests: 2, maxSourceBytes: 10 * MIB }
export const LIVE_LIMITS: Record<Tier, Limits> = {
  free: { requestsPerMinute: 30, concurrentRequests: 2, maxSourceBytes: 25 * MIB },
  paid: { requestsPerMinute: 120, concurrentRequests: 10, maxSourceBytes: 2048 * MIB },
}

/** The largest number that each limit can be set to. */
export const MAX_OWN_LIMITS = {
  requestsPerMinute: 1_000_000,
  concurrentRequests: 1_000_000,
  maxSourceBytes: Number.MAX_SAFE_INTEGER,
} as const

/** Accepted processing requests a UTC day with test keys (Spec 8, rulings 14). */
export const TEST_REQUESTS_PER_DAY = 100

/** Bounds on one job, whatever its endpoint (rulings 9). Pixels are width × height. */
export const MAX_FRAME_PIXELS = 100_000_000
export const MAX_SOURCE_PIXELS = 400_000_000
export const MAX_WATERMARK_BYTES = 25 * MIB
export const MAX_RESULT_BYTES = { image: 512 * MIB, video: 2048 * MIB, document: 512 * MIB } as const
export const DEADLINE_MS = { image: 60_000, document: 300_000, video: 4 * 3_600_000 } as const

/** Bounds on what a call may send (Spec 4.1, 4.3, 4.4, rulings 3 and 14). Characters are Unicode code points. */
export const MAX_BODY_BYTES = MIB
export const MAX_URL_LENGTH = 2048
export const MAX_CUSTOMER_LENGTH = 64
export const MAX_METADATA = { keys: 20, keyLength: 40, valueLength: 500 } as const
export const MAX_OPERATIONS = 20
export const MAX_PAGES = 2000
export const MAX_DESTINATION = { headers: 20, nameLength: 100, valueLength: 2048 } as const
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255

/** Requests on a page of the list. */
export const LIST_LIMIT = { default: 20, maximum: 100 } as const

/** How long a call may be held for, in seconds. It is below the minute after which proxies give up (rulings 16). */
export const WAIT_SECONDS = { default: 20, maximum: 55 } as const

/**
 * Calls that one process holds at once, of all accounts. And of one account, times its requests at once (rulings 16).
 */
export const MAX_HELD_CALLS = 2_000
export const HELD_CALLS_PER_REQUEST = 2

/** Open connections of one API process, and of one client address (settings MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS). */
export const MAX_CONNECTIONS = 10_000
export const MAX_CONNECTIONS_PER_ADDRESS = 1_000

/** How long a stream of changes lasts before its client must reconnect (rulings 16). */
export const MAX_STREAM_SECONDS = 900

/** Days that one question about usage covers, both ends included. */
export const USAGE_DAYS = { default: 30, maximum: 92 } as const

/** What one process answers within a minute in the developer area. Calls of a session, tries to sign in (rulings 20). */
export const CONSOLE_LIMITS = {
  callsPerMinute: 1_200,
  failedSignInsPerMinute: 30,
  keySignInsPerMinute: 30,
  webhookTestsPerMinute: 10,
  activeKeys: 100,
} as const

/** A request whose worker was lost this many times fails (rulings 7). */
export const MAX_ATTEMPTS = 3

/** Returns the limits in force for a key. An account's own live limits come before its tier's (rulings 1). */
export function limitsOf(key: {
  livemode: boolean
  tier: Tier
  own: { [K in keyof Limits]: Limits[K] | null }
}): Limits {
  if (!key.livemode) return TEST_LIMITS
  const tier = LIVE_LIMITS[key.tier]
  return {
    requestsPerMinute: key.own.requestsPerMinute ?? tier.requestsPerMinute,
    concurrentRequests: key.own.concurrentRequests ?? tier.concurrentRequests,
    maxSourceBytes: key.own.maxSourceBytes ?? tier.maxSourceBytes,
  }
}

/** `25 MB`: a size as people read it, in binary units, for messages. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let unit = 0
  let amount = bytes
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit += 1
  }
  return `${Number(amount.toFixed(1))} ${units[unit]}`
}
