import { RequestFailure } from '../../domain/errors.ts'
import type { AnyTask } from './serve.ts'
import { serveTasks } from './serve.ts'

// For `serve.test.ts`: an engine whose tasks end in each of the ways a task can end.
serveTasks({
  succeed: async (job, report) => {
    report(50)
    return { data: { scratch: job.scratch }, files: [], units: 1 }
  },
  fail: async () => {
    throw new RequestFailure('processing_failed', 'For the client.', { operation: 3, cause: new Error('for the log') })
  },
  break: async () => {
    throw new Error('a bug')
  },
} satisfies Record<string, AnyTask>)
