import type { IncomingMessage } from 'node:http'

/** Calls that may take longer to arrive than others: each has bounds of its own. */
const ownTime = new WeakSet<IncomingMessage>()

/** Lifts the bound on a call's whole time. Whoever reads its body bounds it. */
export function takeOwnTime(call: IncomingMessage): void {
  ownTime.add(call)
}

export const hasOwnTime = (call: IncomingMessage | undefined): boolean => call !== undefined && ownTime.has(call)

/**
 * Lets the connection of a call go on when its body is read or unwanted. The next call may follow, or the rest of the
 * body, so that its sender can hear why. `answer` ends the connection soon when the rest is long.
 */
export function leaveCall(call: IncomingMessage): void {
  call.on('error', () => {})
  call.socket.resume()
  if (call.complete) return
  call.resume()
}
