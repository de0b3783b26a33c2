import type { IncomingMessage } from 'node:http'

const withoutTimeout = new WeakSet<IncomingMessage>()

/** Removes Node's timeout of a call. The code that reads the body must then limit its time. */
export function removeTimeout(call: IncomingMessage): void {
  withoutTimeout.add(call)
}

export const hasNoTimeout = (call: IncomingMessage | undefined): boolean =>
  call !== undefined && withoutTimeout.has(call)

/** Keeps the connection open for the response and the next call, after the body was read or rejected. */
export function keepConnection(call: IncomingMessage): void {
  call.on('error', () => {})
  call.socket.resume()
  if (call.complete) return
  call.resume()
}
