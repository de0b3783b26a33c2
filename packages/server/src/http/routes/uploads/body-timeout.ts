import type { IncomingMessage } from 'node:http'

const withoutTimeout = new WeakSet<IncomingMessage>()

/** Removes the timeout of a call. The reader of its body must then limit the time. */
export function removeTimeout(call: IncomingMessage): void {
  withoutTimeout.add(call)
}

export const hasNoTimeout = (call: IncomingMessage | undefined): boolean =>
  call !== undefined && withoutTimeout.has(call)

/** Keeps the connection open after the body was read or rejected, for the response and the next call. */
export function keepConnection(call: IncomingMessage): void {
  call.on('error', () => {})
  call.socket.resume()
  if (call.complete) return
  call.resume()
}
