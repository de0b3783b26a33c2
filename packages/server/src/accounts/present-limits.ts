import type { Limits } from '@mediamill/contract/domain/limits'
import type { LimitsBody } from '@mediamill/contract/objects/account'

/** Limits as the interface and the commands show them (account.object.1). */
export function presentLimits(limits: Limits): LimitsBody {
  return {
    requests_per_minute: limits.requestsPerMinute,
    concurrent_requests: limits.concurrentRequests,
    max_source_bytes: limits.maxSourceBytes,
  }
}
