import type { IncomingMessage } from 'node:http'

/** Calls that may take longer to arrive than others: each has bounds of its own. */
const ownTime = new WeakSet<IncomingMessage>()

/** Lets a call arrive without the bound on its whole time: whoever reads its body bounds it. */
export function takeOwnTime(call: IncomingMessage): void {
  ownTime.add(call)
}

export const hasOwnTime = (call: IncomingMessage | undefined): boolean => call !== undefined && ownTime.has(call)

/**
 * Leaves a call whose body is read or not wanted: its connection goes on, for the next call or for the rest of the body,
 * so that its sender can hear why. `answer` ends the connection soon when the rest is long.
 */
export function leaveCall(call: IncomingMessage): void {
  call.on('error', () => {})
  call.socket.resume()
  if (call.complete) return
  call.resume()
}
