/** The statuses of a request, as values of a flag. */
export const REQUEST_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'aborted'] as const

/** The processing endpoints, as values of a flag. */
export const ENDPOINT_NAMES = [
  'images/process',
  'images/read',
  'videos/process',
  'videos/read',
  'videos/screenshot',
  'documents/process',
  'documents/read',
  'documents/snapshot',
] as const

/** The groups of a usage report. */
export const USAGE_GROUPS = ['day', 'endpoint', 'customer', 'status'] as const
