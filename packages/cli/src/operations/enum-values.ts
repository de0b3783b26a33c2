export const REQUEST_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'aborted'] as const

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
