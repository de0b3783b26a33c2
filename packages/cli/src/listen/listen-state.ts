import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../profiles/folders.ts'
import type { Account } from '../remote/connect.ts'

export type ListenState = {
  secret: string
  cursor: string | undefined
  advance: (cursor: string) => Promise<void>
}

/** Opens the saved state of `listen` for a service and a key. Only this user can read its file. */
export async function openListenState(account: Account): Promise<ListenState> {
  const folder = stateFolder()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const name = createHash('sha256').update(`${account.url}\n${account.apiKey}`).digest('hex').slice(0, 24)
  const path = join(folder, `${name}.listen.json`)
  const known = await readFile(path, 'utf8').then(
    (text) => JSON.parse(text) as { secret?: string; cursor?: string },
    () => ({}) as { secret?: string; cursor?: string },
  )
  const secret = known.secret ?? `whsec_${randomBytes(32).toString('base64')}`
  const write = async (cursor: string | undefined) => {
    const draft = `${path}.${process.pid}`
    await writeFile(draft, JSON.stringify({ secret, cursor }), { mode: 0o600 })
    await rename(draft, path)
  }
  if (known.secret === undefined) await write(undefined)
  return { secret, cursor: known.cursor, advance: write }
}
