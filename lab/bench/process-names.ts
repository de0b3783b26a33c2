import { readFileSync } from 'node:fs'

const NAMES: ReadonlyArray<[RegExp, (match: RegExpExecArray) => string]> = [
  [/engines\/src\/(\w+)\//, ([, medium]) => `engine: ${medium}`],
  [/main\.ts (api|worker|serve)/, ([, role]) => String(role)],
  [/postgres\/supervisor\.ts/, () => 'keeper'],
  [/^postgres: (?:mediamill \S+ )?(\w+ ?\w*)/, ([, what]) => `postgres: ${what}`],
  [/postgres/, () => 'postgres: main'],
]

/** Returns the start of the command line of an unknown program, or `undefined` if the process has ended. */
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
