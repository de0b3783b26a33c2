import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { environmentVariable } from '@mediamill/sdk/src/environment'

export const configFolder = (): string =>
  join(environmentVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'mediamill')

type Account = { url: string; apiKey: string }

/** Returns an id of an account that does not reveal its key. */
export const accountDigest = ({ url, apiKey }: Account): string =>
  createHash('sha256').update(`${url}\n${apiKey}`).digest('hex')

export async function stateFile(account: Account, ending: string): Promise<string> {
  const folder = join(environmentVariable('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state'), 'mediamill')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return join(folder, `${accountDigest(account).slice(0, 24)}.${ending}`)
}
