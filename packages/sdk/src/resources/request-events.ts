import type { MediaRequest } from '../api-types.ts'
import { ConnectionError } from '../errors/connection-error.ts'
import type { Downloadable } from '../files/result-file.ts'
import { withFiles } from '../files/result-file.ts'
import { pauseBeforeRetry } from '../transport/retry.ts'
import { createStop, readPieces } from '../transport/stop-signal.ts'
import type { Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import { isEnded } from '../waiting/wait.ts'

type ServerSentEvent = { id?: string | undefined; data: string }

/** The client reconnects if no data arrives for this time. The service sends a heartbeat every 15 s. */
const SILENCE_MS = 45_000

/** Yields the states of a request until it has finished. Resumes after a lost connection. */
export async function* followRequest(
  transport: Transport,
  id: number,
  signal?: AbortSignal,
): AsyncGenerator<Downloadable<MediaRequest>, undefined> {
  let lastId: string | undefined
  for (let losses = 0; ; ) {
    let isSilent = true
    try {
      for await (const event of readEvents(transport, `/v1/requests/${id}/events`, lastId, signal)) {
        lastId = event.id ?? lastId
        losses = 0
        isSilent = false
        const request = withFiles(transport, JSON.parse(event.data) as MediaRequest)
        yield request
        if (isEnded(request)) return undefined
      }
      // The service ends each stream after 15 minutes, which is not an error. A stream without any event is an error.
      if (isSilent) throw new ConnectionError('The event stream ended without an event.')
    } catch (error) {
      losses += 1
      await pauseBeforeRetry(transport, error, losses, signal)
    }
  }
}

async function* readEvents(transport: Transport, path: string, lastId: string | undefined, signal?: AbortSignal) {
  const stop = createStop(transport.clock, [signal], SILENCE_MS)
  try {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId }
    const call = { method: 'GET', path, headers, signal: stop.signal, isStream: true, maxRetries: 0 } as const
    const { data: body } = await send<ReadableStream<Uint8Array> | null>(transport, call)
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of readPieces(body, stop)) {
      text = (text + decoder.decode(bytes, { stream: true })).replaceAll('\r\n', '\n')
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = eventOf(block)
        if (event !== undefined) yield event
      }
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!stop.timedOut && !(error instanceof TypeError)) throw error
    throw new ConnectionError('The event stream was interrupted.', { cause: error })
  } finally {
    stop.dispose()
  }
}

/** Parses a block of an event stream. Returns `undefined` if the block has no data, for example a comment. */
function eventOf(block: string): ServerSentEvent | undefined {
  const values = (name: string) =>
    block.split('\n').flatMap((line) => {
      const match = /^(\w+):? ?(.*)$/s.exec(line)
      return match?.[1] === name ? [match[2] ?? ''] : []
    })
  const data = values('data')
  return data.length === 0 ? undefined : { id: values('id').at(-1), data: data.join('\n') }
}
