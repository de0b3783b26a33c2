import type { RequestId } from '@mediamill/contract/domain/ids'
import type { Logger } from 'pino'
import type { Sql } from '../../db/connection/connect.ts'
import type { SegmentsState } from '../../db/segments/segments.ts'
import { readSegmentsState } from '../../db/segments/segments.ts'
import { every } from '../../lib/time/every.ts'
import { logErrors, logFailure } from '../../queue/log-errors.ts'
import { pollAfter, Watch } from '../../queue/watch.ts'
import type { SegmentError } from './queue.ts'
import { takeOverSegments } from './queue.ts'

const CHECK_MS = 2_000

/** How often the progress of segments is read. Progress sends no notification, so the interval is short. */
const SEGMENT_POLL_MS = 200

type SegmentState = SegmentsState & { requestId: RequestId }

export type SegmentWatch = Watch<RequestId, SegmentState | undefined, SegmentState>

/** Watches the segments of videos. Each video has its own statement, because a worker waits for few videos. */
export const createSegmentWatch = (sql: Sql, log: Logger): SegmentWatch =>
  new Watch({
    read: (waits) =>
      Promise.all(waits.map(async ({ key }) => ({ ...(await readSegmentsState(sql, key)), requestId: key }))),
    keyOf: ({ requestId }) => requestId,
    hasChanged: (state, previous) => JSON.stringify(state) !== JSON.stringify(previous),
    onError: (error) => logFailure(log, error, 'reading the segments of videos failed; retrying'),
    schedule: pollAfter(SEGMENT_POLL_MS),
  })

type WaitForSegments = {
  signal: AbortSignal
  onShare: (share: number) => void
  onWaiting: () => void
  log: Logger
}

export async function waitForSegments(
  sql: Sql,
  watch: SegmentWatch,
  requestId: RequestId,
  { signal, onShare, onWaiting, log }: WaitForSegments,
): Promise<{ error: SegmentError } | { sourceBytes: number }> {
  let state: SegmentState | undefined
  const check = async () => {
    await takeOverSegments(sql, requestId)
    if (state !== undefined && state.waiting > 0) onWaiting()
  }
  const ended = new AbortController()
  every(CHECK_MS, ended.signal, logErrors(log, 'checking the segments of a video', check))
  try {
    for (;;) {
      state = await watch.wait(requestId, state, signal)
      signal.throwIfAborted()
      if (state === undefined) throw new Error('the worker is stopping')
      onShare(state.share)
      if (state.failed !== null) return { error: state.failed as SegmentError }
      if (state.total > 0 && state.done === state.total) return { sourceBytes: state.sourceBytes }
    }
  } finally {
    ended.abort()
  }
}
