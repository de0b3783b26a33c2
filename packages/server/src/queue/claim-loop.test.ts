import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import type { JobKey, Work } from './claim-loop.ts'
import { ClaimLoop, ClaimLost } from './claim-loop.ts'

type Job = { id: number }

const LONG_MS = 3_600_000

function openWork(differing: Partial<Work<Job>> = {}) {
  const waiting: Job[] = []
  const started: number[] = []
  const lost: unknown[] = []
  const requeued: number[] = []
  const released: number[] = []
  const jobs = new Map<number, PromiseWithResolvers<void>>()
  const arrivals = new Map<number, PromiseWithResolvers<void>>()
  const arrival = (count: number) => {
    const found = arrivals.get(count) ?? Promise.withResolvers<void>()
    arrivals.set(count, found)
    return found
  }
  const work: Work<Job> = {
    name: 'jobs',
    keyOf: ({ id }) => id,
    claim: async (running) => (running.length < 2 ? waiting.shift() : undefined),
    async run({ id }, signal) {
      const done = Promise.withResolvers<void>()
      jobs.set(id, done)
      signal.addEventListener('abort', () => {
        lost.push(signal.reason)
        done.reject(signal.reason)
      })
      started.push(id)
      arrival(started.length).resolve()
      await done.promise
    },
    async requeue({ id }) {
      requeued.push(id)
    },
    async release(unfinished) {
      released.push(...unfinished.map(({ id }) => id))
    },
    ...differing,
  }
  const loop = new ClaimLoop(work, { log: pino({ level: 'silent' }) })
  const startedJobs = (count: number) => arrival(count).promise
  return { loop, waiting, started, startedJobs, lost, requeued, released, jobs }
}

test('a claim loop fills all its slots with jobs, and claims another job when a job ends', async () => {
  const { loop, waiting, startedJobs, jobs } = openWork()
  waiting.push({ id: 1 }, { id: 2 }, { id: 3 })
  await loop.start()
  await startedJobs(2)
  await loop.claimNow()
  assert.deepEqual(loop.running, [{ id: 1 }, { id: 2 }])
  jobs.get(1)?.resolve()
  await startedJobs(3)
  assert.deepEqual(loop.running, [{ id: 2 }, { id: 3 }])
  await loop.stop(0)
})

test('a notification causes a new claim, even if it arrives while another claim is running', async () => {
  let wake: () => void = () => undefined
  let isStopped = false
  const { loop, waiting, startedJobs } = openWork({
    async listen(listener) {
      wake = listener.wake
      return { stop: async () => void (isStopped = true) }
    },
  })
  await loop.start()
  // The claim at the start is still in progress and has found no job yet.
  waiting.push({ id: 1 })
  wake()
  await startedJobs(1)
  await loop.claimNow()
  waiting.push({ id: 2 })
  wake()
  await startedJobs(2)
  await loop.stop(0)
  assert.ok(isStopped)
})

test('a claim loop stops a job that lost its lease, and neither requeues nor releases the job', async () => {
  const leases: JobKey[][] = []
  const { loop, waiting, startedJobs, lost, requeued, released } = openWork({
    renew: {
      intervalMs: LONG_MS,
      async leases(running) {
        leases.push(running.map(({ id }) => id))
        return [2]
      },
    },
  })
  waiting.push({ id: 1 }, { id: 2 })
  await loop.start()
  await startedJobs(2)
  await loop.renew()
  await loop.claimNow()
  assert.deepEqual(leases, [[1, 2]])
  assert.ok(lost[0] instanceof ClaimLost)
  assert.deepEqual([loop.running, requeued], [[{ id: 1 }], []])
  await loop.stop(0)
  assert.deepEqual(released, [1])
})

test('a claim loop requeues a job whose attempt failed with an unexpected error', async () => {
  const { loop, waiting, startedJobs, requeued, jobs } = openWork()
  waiting.push({ id: 1 })
  await loop.start()
  await startedJobs(1)
  jobs.get(1)?.reject(new Error('the disk is full'))
  waiting.push({ id: 2 })
  await startedJobs(2)
  assert.deepEqual([requeued, loop.running], [[1], [{ id: 2 }]])
  await loop.stop(0)
})

test('if the response to a claim is lost, the claim loop recovers the claimed job before it claims another job', async () => {
  const steps: string[] = []
  const waiting = [{ id: 1 }]
  let breaks = true
  const { loop, startedJobs } = openWork({
    async claim() {
      steps.push('claim')
      if (breaks) throw new Error('the connection was lost')
      return waiting.shift()
    },
    async requeueUnknown(running) {
      steps.push(`recover ${running.length}`)
    },
  })
  await loop.start()
  await loop.claimNow()
  breaks = false
  await loop.renew()
  await startedJobs(1)
  await loop.claimNow()
  assert.deepEqual(steps.slice(0, 2), ['claim', 'recover 0'])
  const recoveries = steps.filter((step) => step !== 'claim').length
  await loop.claimNow()
  assert.equal(steps.filter((step) => step !== 'claim').length, recoveries, 'the last claim has succeeded')
  await loop.stop(0)
})

test("if a worker's lease expires and the worker claims the same job again, the claim loop stops the earlier attempt", async () => {
  const { loop, waiting, startedJobs, started, lost } = openWork()
  waiting.push({ id: 1 }, { id: 1 })
  await loop.start()
  await startedJobs(2)
  await loop.claimNow()
  assert.deepEqual([started, lost.length, loop.running], [[1, 1], 1, [{ id: 1 }]])
  await loop.stop(0)
})

test('a stopped claim loop claims nothing, waits for its jobs during the grace period, and then releases unfinished jobs', async (t) => {
  const { loop, waiting, startedJobs, released, jobs, started, lost } = openWork()
  waiting.push({ id: 1 }, { id: 2 })
  await loop.start()
  await startedJobs(2)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const meanwhile = Promise.withResolvers<void>()
  const stopping = loop.stop(100, meanwhile.promise)
  waiting.push({ id: 3 })
  loop.wake()
  await nextTurn()
  t.mock.timers.tick(99)
  await nextTurn()
  jobs.get(1)?.resolve()
  await nextTurn()
  t.mock.timers.tick(1)
  meanwhile.resolve()
  await stopping
  assert.deepEqual([started, released, lost.length], [[1, 2], [2], 1])
})

test('a claim loop stops even if the release of its jobs fails, because other processes claim them later [operator.stop.1]', async () => {
  const { loop } = openWork({ release: () => Promise.reject(new Error('the database is unavailable')) })
  await loop.start()
  await loop.stop(0)
})
