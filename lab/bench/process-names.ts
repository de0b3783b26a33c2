import { commandOf } from '../support/processes.ts'

const NAMES: ReadonlyArray<[RegExp, (match: RegExpExecArray) => string]> = [
  [/engines\/src\/(\w+)\//, ([, medium]) => `engine: ${medium}`],
  [/(?:main|server)\.ts (api|worker|serve)/, ([, role]) => String(role)],
  [/postgres\/supervisor\.ts/, () => 'keeper'],
  [/^postgres: (?:mediamill \S+ )?(\w+ ?\w*)/, ([, what]) => `postgres: ${what}`],
  [/postgres/, () => 'postgres: main'],
]

/** Returns the start of the command line of an unknown program. */
export function nameOf(pid: number): string {
  const command = commandOf(pid)
  for (const [pattern, name] of NAMES) {
    const match = pattern.exec(command)
    if (match !== null) return name(match)
  }
  return command.slice(0, 40)
}

/** Returns `postgres` and `engines` for all their processes, otherwise the name. */
export function partOf(pid: number): string {
  const name = nameOf(pid)
  if (/^(postgres|keeper|sh )/.test(name)) return 'postgres'
  return name.startsWith('engine') ? 'engines' : name
}
