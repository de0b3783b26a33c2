import { readFileSync } from 'node:fs'

/** Names of the service's processes, with a pattern for their command line. The first match decides. */
const NAMES: ReadonlyArray<[RegExp, (match: RegExpExecArray) => string]> = [
  [/engines\/src\/(\w+)\//, ([, medium]) => `engine: ${medium}`],
  [/main\.ts (api|worker|serve)/, ([, role]) => String(role)],
  [/postgres\/supervisor\.ts/, () => 'keeper'],
  [/^postgres: (?:mediamill \S+ )?(\w+ ?\w*)/, ([, what]) => `postgres: ${what}`],
  [/postgres/, () => 'postgres: main'],
]

/**
 * Returns a process's name, or the start of another program's command line. Returns `undefined` if the process has
 * ended.
 */
export function nameOf(pid: number): string | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    for (const [pattern, name] of NAMES) {
      const match = pattern.exec(command)
      if (match !== null) return name(match)
    }
    return command.slice(0, 40)
  } catch {
    return undefined
  }
}
