import { readdirSync, readFileSync } from 'node:fs'

/** Returns the ids of child processes that run an engine or its sandbox program, in ascending order. Linux only. */
export function enginePids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isOurEngine(pid))
    .sort((a, b) => a - b)
}

function isOurEngine(pid: number): boolean {
  try {
    // The parent's id is the second field after the program name. The name in parentheses may contain any character.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return (
      parent === process.pid && /engines\/(?:src\/)?\w+\/main\.[jt]s/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    )
  } catch {
    return false
  }
}
