import type { IncomingMessage } from 'node:http'

/** Calls whose bodies have time limits of their own. */
const ownTime = new WeakSet<IncomingMessage>()

/** Removes the timeout of a call. The reader of the body must limit its time. */
export function takeOwnTime(call: IncomingMessage): void {
  ownTime.add(call)
}

export const hasOwnTime = (call: IncomingMessage | undefined): boolean => call !== undefined && ownTime.has(call)

/**
 * Keeps the connection of a call open after its body was read or rejected, for the response and the next call. If the
 * rest of the body is long, `answer` closes the connection.
 */
export function leaveCall(call: IncomingMessage): void {
  call.on('error', () => {})
  call.socket.resume()
  if (call.complete) return
  call.resume()
}
