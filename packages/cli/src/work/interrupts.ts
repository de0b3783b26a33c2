import { InterruptedError } from '../usage-error.ts'

/** The time after Ctrl-C in which running work may finish. */
const GRACE_MS = 600

/** The exit code of a process that Ctrl-C stopped, as in shells. */
export const INTERRUPTED = 130

let told: AbortController | undefined

/** Aborts at the first Ctrl-C or SIGTERM. The process exits within a second, or immediately after a second signal. */
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
