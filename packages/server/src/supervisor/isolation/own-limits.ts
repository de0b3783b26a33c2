import { readFileSync } from 'node:fs'

/** The kernel's names of what a process may be held to, as `/proc` has them. */
type Limited = 'open files' | 'file size' | 'data size' | 'cpu time' | 'processes'

/**
 * Gives a limit that this process may set for a child. It is `wanted`, or its own where that is lower: a limit that the
 * machine sets is never raised again, and `prlimit` would start nothing at all.
 */
export function allowedLimit(name: Limited, wanted: number): number {
  const [, hard] = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(ownLimits()) ?? []
  return hard === undefined ? wanted : Math.min(wanted, Number(hard))
}

/** Read each time: a limit may be changed from outside, and this is a few lines of memory. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    // Other systems have none; what is wanted is then asked for.
    return ''
  }
}
