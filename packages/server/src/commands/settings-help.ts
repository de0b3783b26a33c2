import { quiet } from '@mediamill/cli/src/terminal/output'
import { SETTINGS } from '../config/config.ts'

/** A role that can run alone; without one, `serve` runs them all. */
type Role = 'api' | 'worker'

/** Writes what follows the help of a command that serves. It has each setting it reads with its default, and an example. */
export function settingsHelp(example: string, role?: Role): string {
  const settings = Object.values(SETTINGS).filter((setting) => role === undefined || (setting.role ?? role) === role)
  const width = Math.max(...settings.map(({ variable }) => variable.length)) + 2
  const lines = settings.map(
    ({ variable, fallback, meaning, allowed }) =>
      `  ${variable.padEnd(width)}${meaning}\n${' '.repeat(width + 2)}${quiet(`It is ${allowed}. Default: ${fallback}`)}`,
  )
  return `\nSettings, from the environment:\n${lines.join('\n')}\n\nExample:\n  ${example}`
}

/** Writes the same for one role alone. It shares its database, its store and the secret with the others. */
export function roleHelp(role: Role): string {
  return settingsHelp(
    `DATABASE_URL=postgres://db.internal/mediamill STORAGE_URL=s3://results SECRET_KEY=… mediamill ${role}`,
    role,
  )
}
