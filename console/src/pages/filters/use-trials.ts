import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/call-error.ts'
import { localUrl } from '../../api/local-url.ts'
import { runRequest } from '../../api/run-request.ts'
import type { Operation } from '../playground/operation.ts'
import { text } from './text.ts'
import type { Trial } from './trials-of.ts'

export type TrialOutcome =
  | { state: 'running' }
  | { state: 'succeeded'; url: string }
  | { state: 'failed'; message: string }

/** The number of concurrent trials: the limit of requests with test keys. */
const AT_ONCE = 2

export function useTrials(source: string) {
  const [outcomes, setOutcomes] = useState<Record<string, TrialOutcome>>({})
  const queue = useRef<Trial[]>([])
  const running = useRef(0)
  const keyOf = (name: string) => `${source} ${name}`
  const set = (key: string, outcome: TrialOutcome) => setOutcomes((now) => ({ ...now, [key]: outcome }))

  const next = async (): Promise<void> => {
    const trial = queue.current.shift()
    if (trial === undefined || running.current >= AT_ONCE) return
    running.current += 1
    const key = keyOf(trial.name)
    try {
      set(key, { state: 'succeeded', url: await runTrial(source, trial) })
    } catch (error) {
      set(key, { state: 'failed', message: messageOf(error) })
    }
    running.current -= 1
    await next()
  }
  const run = (chosen: Trial[]) => {
    const idle = chosen.filter(({ name }) => outcomes[keyOf(name)]?.state !== 'running')
    for (const trial of idle) set(keyOf(trial.name), { state: 'running' })
    queue.current.push(...idle)
    for (let free = running.current; free < AT_ONCE; free += 1) void next()
  }
  // Remove queued trials of the previous image.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- depends on the image alone
  useEffect(() => {
    queue.current = []
  }, [source])
  return { of: (name: string) => outcomes[keyOf(name)], run }
}

async function runTrial(source: string, { operation, format }: Trial): Promise<string> {
  const body = { source, operations: operationsOf(operation), output: { format } }
  const request = await runRequest('images/process', body)
  const file = request.status === 'succeeded' ? request.result.files[0] : undefined
  if (file === undefined) throw new Error(text.theRequestWasAborted)
  return localUrl(file.url)
}

/** Returns the operations of a trial. A filter is applied to a small copy of the image, which shows the same colors. */
const operationsOf = (operation: Operation): Operation[] => [
  { type: 'orient' },
  ...(operation.type === 'filter' ? [{ type: 'resize', width: 480, height: 480 }] : []),
  operation,
]
