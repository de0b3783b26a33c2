import { quiet } from '@mediamill/cli/src/terminal/output'
import { SETTINGS } from '../config/config.ts'

type Role = 'api' | 'worker'

export function settingsHelp(example: string, role?: Role): string {
  const settings = Object.values(SETTINGS).filter((setting) => role === undefined || (setting.role ?? role) === role)
  const width = Math.max(...settings.map(({ variable }) => variable.length)) + 2
  const lines = settings.map(
    ({ variable, fallback, meaning, allowed }) =>
      `  ${variable.padEnd(width)}${meaning}\n${' '.repeat(width + 2)}${quiet(`Must be ${allowed}. Default: ${fallback}`)}`,
  )
  return `\nSettings, from the environment:\n${lines.join('\n')}\n\nExample:\n  ${example}`
}

export function roleHelp(role: Role): string {
  return settingsHelp(
    `DATABASE_URL=postgres://db.internal/mediamill STORAGE_URL=s3://results SECRET_KEY=… mediamill ${role}`,
    role,
  )
}
