import { readFileSync } from 'node:fs'
import type { Setting } from './parse.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const variablesOf = ({ variable, secret }: Setting): string[] =>
  secret === true ? [variable, `${variable}_FILE`] : [variable]

/**
 * Returns the text of a setting, and the name of the variable that contains it. Throws `RangeError` if `NAME` and
 * `NAME_FILE` are both set, or if the file is empty or unreadable.
 */
export function settingText(declared: Setting, env: Environment): { text: string; source: string } {
  const { variable } = declared
  const [, fileVariable = ''] = variablesOf(declared)
  const text = env[variable] ?? ''
  const path = env[fileVariable] ?? ''
  if (path === '') return { text, source: variable }
  if (text !== '') throw new RangeError(`${variable} and ${fileVariable} are both set; set only one.`)
  const content = read(path, fileVariable).replace(/\r?\n$/, '')
  if (content === '') throw new RangeError(`${fileVariable} is ${JSON.stringify(path)}; the file is empty.`)
  return { text: content, source: `${variable} in ${path}` }
}

function read(path: string, fileVariable: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new RangeError(`${fileVariable} is ${JSON.stringify(path)}; the file cannot be read (${reason}).`, {
      cause: error,
    })
  }
}
