import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { stateFile } from '../profiles/folders.ts'
import type { Account } from '../remote/connect.ts'

type ListenState = {
  secret: string
  cursor: string | undefined
  advance: (cursor: string) => Promise<void>
}

export async function openListenState(account: Account): Promise<ListenState> {
  const path = await stateFile(account, 'listen.json')
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
