import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'

const SHOWN_SECONDS = 2

export function describeWait({ reason, seconds }: WaitNotice): string | undefined {
  if (seconds < SHOWN_SECONDS) return undefined
  return `waiting ${seconds} s for ${reason === 'rate_limit' ? 'the rate limit' : 'a free slot'}`
}
