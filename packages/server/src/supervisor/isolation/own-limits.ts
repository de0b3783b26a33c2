import { readFileSync } from 'node:fs'

type Limited = 'open files' | 'file size' | 'data size' | 'cpu time' | 'processes'

/** Returns `wanted`, or this process's own limit if it is lower. No process can raise its own limit. */
export function allowedLimit(name: Limited, requested: number): number {
  const [, hard] = new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(ownLimits()) ?? []
  return hard === undefined ? requested : Math.min(requested, Number(hard))
}

/** Returns the limits of this process. They are not cached, because another process can change them. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    // Only Linux has this file.
    return ''
  }
}
