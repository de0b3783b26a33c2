import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { AnyTask } from './serve.ts'
import { serveJobs } from './serve.ts'

const tasks: Record<string, AnyTask> = {
  succeed: async (job, report) => {
    report(50)
    return { data: { scratch: job.scratch }, files: [], units: 1 }
  },
  fail: async () => {
    throw new RequestFailure('processing_failed', 'For the client.', { operation: 3, cause: new Error('for the log') })
  },
  ask: async (_job, report, ask) => {
    const first = ask({ type: 'reserve', bytes: 1 }).then(() => report(10))
    const second = ask({ type: 'reserve', bytes: 2 }).then(() => report(20))
    await Promise.all([first, second])
    return { data: {}, files: [], units: 1 }
  },
  break: async () => {
    throw new Error('a bug')
  },
}

serveJobs<never>({}, tasks)
