import { InterruptedError } from '../usage-error.ts'

/** The time after Ctrl-C in which running work may end. */
const GRACE_MS = 600

/** The exit code of shells for a process that Ctrl-C ended. */
export const INTERRUPTED = 130

let told: AbortController | undefined

/** Aborts at the first Ctrl-C or SIGTERM. The process exits within a second, or at once after a second signal. */
export function interrupts(): AbortController {
  if (told !== undefined) return told
  const controller = new AbortController()
  told = controller
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED)
      controller.abort(new InterruptedError())
      setTimeout(() => process.exit(INTERRUPTED), GRACE_MS).unref()
    })
  }
  return controller
}
