import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from '@mediamill/lab/support/command-line'
import { createDatabase } from '@mediamill/lab/support/database'
import type { Run } from '@mediamill/lab/support/process'
import { freePort, run, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import sharp from 'sharp'
import type { Sql } from '../../src/db/connection/connect.ts'
import { connect } from '../../src/db/connection/connect.ts'

const FILES = 24

/** Kills the main process of a service. The other processes then end by themselves. */
async function kill(service: Run): Promise<void> {
  service.child.kill('SIGKILL')
  await service.ended
}

/** Keeps workers from claiming the first request, so that the batch cannot end. The returned function ends this. */
async function holdFirstRequest(sql: Sql): Promise<() => Promise<void>> {
  await sql.unsafe(`
    create function hold_request() returns trigger language plpgsql as $$ begin
      return case when new.id = (select min(id) from requests) then null else new end;
    end $$;
    create trigger hold_requests before update on requests for each row
      when (old.status = 'queued' and new.status = 'processing') execute function hold_request()`)
  return async () => void (await sql`drop trigger hold_requests on requests`)
}

test('a command line batch continues after its service is killed twice, and each file has one result and one charge', async () => {
  await using database = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-batch-'))
  const port = await freePort()
  const settings = {
    PORT: String(port),
    DATABASE_URL: database.url,
    SECRET_KEY,
    DATA_DIR: join(folder, 'data'),
    FIRST_ACCOUNT: 'file',
    LOG_LEVEL: 'info',
  }
  const start = async () => {
    const service = run(['serve'], settings)
    await until(() => service.pidsOf('worker').length > 0 && service.pidsOf('api').length > 0)
    return service
  }
  await mkdir(join(folder, 'in'))
  for (let index = 0; index < FILES; index += 1) {
    const color = `#${(index * 7919).toString(16).padStart(6, '0').slice(-6)}`
    await sharp({ create: { width: 8, height: 8, channels: 3, background: color } })
      .png()
      .toFile(join(folder, 'in', `${index}.png`))
  }
  let service = await start()
  const sql = connect(database.url, { connections: 1, applicationName: 'test' })
  try {
    const account = JSON.parse(await readFile(join(folder, 'data/first-account.json'), 'utf8'))
    await sql`
      update accounts set requests_per_minute = 100000, concurrent_requests = 8 where id = ${account.account}`
    const done = async () =>
      (await readdir(join(folder, 'out')).catch(() => [])).filter((name) => !name.startsWith('.')).length
    const env = { MEDIAMILL_URL: `http://127.0.0.1:${port}`, MEDIAMILL_API_KEY: account.live_key }
    const release = await holdFirstRequest(sql)
    let isRunning = true
    const batch = commandLine(['process', 'in', '--resize', '4x4', '-o', 'out/', '--json'], { folder, env }).finally(
      () => {
        isRunning = false
      },
    )
    for (const part of [1 / 3, 2 / 3]) {
      await until(async () => (await done()) >= FILES * part)
      await kill(service)
      assert.ok(isRunning, 'the batch ended before the service was killed')
      if (part > 0.5) await release()
      service = await start()
    }
    const { code, out } = await batch
    const failed = out.split('\n').filter((line) => line.includes('"ok":false'))
    let results = 0
    for (const name of await readdir(join(folder, 'out'))) {
      const { width } = await sharp(join(folder, 'out', name)).metadata()
      if (width === 4 && !name.startsWith('.')) results += 1
    }
    const [row] = await sql<{ requests: number; charges: number }[]>`
      select count(*)::int as requests, (count(*) filter (where price > 0))::int as charges from requests`
    assert.deepEqual(
      { code, failed, results, ...row },
      { code: 0, failed: [], results: FILES, requests: FILES, charges: FILES },
    )
  } finally {
    await sql.end({ timeout: 5 })
    service.child.kill('SIGTERM')
    if (service.child.exitCode === null) await once(service.child, 'close')
    await rm(folder, { recursive: true, force: true })
  }
})
