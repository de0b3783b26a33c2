import { InterruptedError } from '../usage-error.ts'

/** The time for which running work may continue after Ctrl-C. */
const GRACE_MS = 600

export const INTERRUPTED = 130

let interrupted: AbortController | undefined

/** Returns a controller that aborts at Ctrl-C or SIGTERM. The process exits within 1 s, or at the next signal. */
export function interrupts(): AbortController {
  if (interrupted !== undefined) return interrupted
  const controller = new AbortController()
  interrupted = controller
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED)
      controller.abort(new InterruptedError())
      setTimeout(() => process.exit(INTERRUPTED), GRACE_MS).unref()
    })
  }
  return controller
}
