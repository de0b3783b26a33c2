import { SETTINGS } from '../../runtime/config/config.ts'
import { quiet } from './output.ts'

/** The longest name, and room after it. */
const WIDTH = Math.max(...Object.values(SETTINGS).map(({ variable }) => variable.length)) + 2

/** Writes what follows the help of a command that serves. It has every setting with its default, and an example. */
export function settingsHelp(example: string): string {
  const settings = Object.values(SETTINGS).map(
    ({ variable, fallback, meaning, allowed }) =>
      `  ${variable.padEnd(WIDTH)}${meaning}\n${' '.repeat(WIDTH + 2)}${quiet(`It is ${allowed}. Default: ${fallback}`)}`,
  )
  return `\nSettings, from the environment:\n${settings.join('\n')}\n\nExample:\n  ${example}`
}

/** Writes the same for one role alone. It shares its database, its store and the secret with the others. */
export function roleHelp(role: string): string {
  return settingsHelp(
    `DATABASE_URL=postgres://db.internal/mediamill STORAGE_URL=s3://results SECRET_KEY=… mediamill ${role}`,
  )
}
