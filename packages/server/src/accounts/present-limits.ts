import type { Limits } from '@mediamill/contract/domain/limits'
import type { LimitsBody } from '@mediamill/contract/objects/account'

export function presentLimits(limits: Limits): LimitsBody {
  return {
    requests_per_minute: limits.requestsPerMinute,
    concurrent_requests: limits.concurrentRequests,
    max_source_bytes: limits.maxSourceBytes,
  }
}
