import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Run } from '@mediamill/lab/support/process'
import { run, until } from '@mediamill/lab/support/process'

const started: Run[] = []

export const folder = await mkdtemp(join(tmpdir(), 'mediamill-serve-'))
after(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.map(({ ended }) => ended))
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

export async function serve(name: string, port: number, settings: Record<string, string> = {}): Promise<Run> {
  const service = run(['serve'], { DATA_DIR: join(folder, name), PORT: String(port), ...settings })
  started.push(service)
  let ended = false
  service.ended.then(
    () => (ended = true),
    () => undefined,
  )
  await until(() => ended || (service.pidsOf('api').length > 0 && service.pidsOf('worker').length > 0))
  assert.equal(ended, false, service.err())
  return service
}

export const databaseOf = (name: string) => join(folder, name, 'postgres', 'run', '.s.PGSQL.5432')

export const accountWith = (key: string, port: number) =>
  fetch(`http://127.0.0.1:${port}/v1/account`, { headers: { authorization: `Bearer ${key}` } })

export const find = (text: string, pattern: RegExp) =>
  pattern.exec(text)?.[0] ?? assert.fail(`${pattern} is not in ${text}`)
