export const USAGE_GROUPS = ['day', 'endpoint', 'customer', 'status'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]
