import type { Command } from 'commander'
import type { OpenLocal } from './work/work-on.ts'

/** A verb's file adds itself to the program; `openLocal` is given where there are engines. */
type VerbFile = { register: (program: Command, openLocal?: OpenLocal) => void }

/** The verbs in the order of the help; only the one that is called is loaded. */
export const CLIENT_COMMANDS: Record<string, () => Promise<VerbFile>> = {
  process: () => import('./verbs/process.ts'),
  read: () => import('./verbs/read.ts'),
  screenshot: () => import('./verbs/screenshot.ts'),
  snapshot: () => import('./verbs/snapshot.ts'),
  upload: () => import('./verbs/upload.ts'),
  stamp: () => import('./verbs/stamp.ts'),
  get: () => import('./verbs/get.ts'),
  abort: () => import('./verbs/abort.ts'),
  requests: () => import('./verbs/requests.ts'),
  usage: () => import('./verbs/usage.ts'),
  account: () => import('./verbs/account.ts'),
  login: () => import('./verbs/login.ts'),
  listen: () => import('./verbs/listen.ts'),
  completion: () => import('./verbs/completion.ts'),
}
