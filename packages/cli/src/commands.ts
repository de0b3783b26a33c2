import type { Commands } from './run-program.ts'

export const CLIENT_COMMANDS: Commands = {
  process: () => import('./verbs/process.ts'),
  read: () => import('./verbs/read.ts'),
  screenshot: () => import('./verbs/screenshot.ts'),
  snapshot: () => import('./verbs/snapshot.ts'),
  upload: () => import('./verbs/upload.ts'),
  stamp: () => import('./verbs/stamp.ts'),
  templates: () => import('./verbs/templates.ts'),
  get: () => import('./verbs/get.ts'),
  abort: () => import('./verbs/abort.ts'),
  requests: () => import('./verbs/requests.ts'),
  usage: () => import('./verbs/usage.ts'),
  account: () => import('./verbs/account.ts'),
  login: () => import('./verbs/login.ts'),
  listen: () => import('./verbs/listen.ts'),
  mcp: () => import('./verbs/mcp.ts'),
  conformance: () => import('./verbs/conformance.ts'),
  completion: () => import('./verbs/completion.ts'),
  'complete-values': () => import('./verbs/complete-values.ts'),
}
