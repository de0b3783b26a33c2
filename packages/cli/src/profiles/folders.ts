import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { environmentVariable } from '@mediamill/sdk/src/environment'

export const configFolder = (): string =>
  join(environmentVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'mediamill')

export async function stateFile({ url, apiKey }: { url: string; apiKey: string }, ending: string): Promise<string> {
  const folder = join(environmentVariable('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state'), 'mediamill')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = createHash('sha256').update(`${url}\n${apiKey}`).digest('hex').slice(0, 24)
  return join(folder, `${name}.${ending}`)
}
