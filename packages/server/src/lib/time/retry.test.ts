import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retry } from './retry.ts'

function failing(times: number) {
  let tries = 0
  return async () => {
    tries += 1
    if (tries <= times) throw new Error(`failure ${tries}`)
    return tries
  }
}

test('retry() retries work until it succeeds, with the given pause after each failure', async () => {
  const pauses: number[] = []
  const failures: string[] = []
  const result = await retry(failing(3), {
    pauseMs: (tries) => {
      pauses.push(tries)
      return 0
    },
    onFailure: (error, tries) => void failures.push(`${tries}: ${(error as Error).message}`),
  })
  assert.equal(result, 4)
  assert.deepEqual(pauses, [1, 2, 3])
  assert.deepEqual(failures, ['1: failure 1', '2: failure 2', '3: failure 3'])
})

test('retry() stops if its callback onFailure throws an error', async () => {
  const work = failing(5)
  const trying = retry(work, {
    pauseMs: 0,
    onFailure: (error, tries) => {
      if (tries === 2) throw error
    },
  })
  await assert.rejects(trying, /failure 2/)
  await assert.rejects(work(), /failure 3/)
})

test('an AbortSignal ends the pause between two attempts of retry(), which throws the abort reason', async () => {
  const stop = new AbortController()
  const reason = new Error('the request was aborted')
  const trying = retry(failing(5), {
    pauseMs: 600_000,
    onFailure: () => stop.abort(reason),
    signal: stop.signal,
  })
  await assert.rejects(trying, (error) => error === reason)
})
