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
