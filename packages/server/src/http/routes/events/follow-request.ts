import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { RequestBody } from '@mediamill/contract/objects/request'
import { FINAL_VERSION, versionOf } from '../../../requests/events/version.ts'
import { toRequest } from '../../../requests/record.ts'
import type { RequestWatch } from '../../../requests/watch.ts'
import type { EventStream } from './event-stream.ts'

type Following = {
  watch: RequestWatch
  show: (request: MediaRequest) => RequestBody
  pingMs: number
  signal: AbortSignal
}

/**
 * Sends the state of a request, if it is newer than `lastVersion`: the last version that the client received, or -1.
 * Returns the last version after this call.
 */
export async function sendState(stream: EventStream, shown: RequestBody, lastVersion: number): Promise<number> {
  const id = versionOf(shown)
  if (id <= lastVersion) return lastVersion
  await stream.send({ name: 'request.updated', id, data: shown })
  return id
}

/** Sends states as they change. Returns `true` after the final state, or `undefined` at an abort (streams.events.2). */
export async function followRequest(
  stream: EventStream,
  request: MediaRequest,
  lastVersion: number,
  { watch, show, pingMs, signal }: Following,
): Promise<true | undefined> {
  let [current, version] = [request, lastVersion]
  while (!signal.aborted) {
    version = await sendState(stream, show(current), version)
    if (version === FINAL_VERSION) return true
    const ping = new AbortController()
    const timer = setTimeout(() => ping.abort(), pingMs)
    const progress = current.status === 'processing' ? current.progress : 0
    const either = AbortSignal.any([signal, ping.signal])
    const changed = await watch.wait(current.id, { status: current.status, progress }, either)
    clearTimeout(timer)
    if (changed !== undefined) current = toRequest(changed)
    // `wait` ended without a change and before the ping. Thus, the signal aborted: this process is stopping.
    else if (!ping.signal.aborted) return undefined
    else await stream.ping()
  }
  return undefined
}
