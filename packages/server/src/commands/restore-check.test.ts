import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { quarters } from '@mediamill/lab/support/images'
import { run } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { isStoredFile } from '@mediamill/lab/support/stored-files'
import { joinKeyRing } from '../accounts/key-ring.ts'

const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const service = await sharedService({ allowed: [sources.host] })
const { sql, databaseUrl, dataDir } = service
await joinKeyRing(sql, SECRET_KEY)

async function check(secretKey = SECRET_KEY, folder = dataDir) {
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, DATA_DIR: folder }
  const ran = run(['restore-check', '--json'], settings)
  const code = await ran.ended
  const { findings } = JSON.parse(ran.out()) as { findings: { part: string; verdict: string; message: string }[] }
  const problems = findings.flatMap(({ part, verdict, message }) =>
    verdict === 'good' ? [] : [`${verdict}: ${part}: ${message}`],
  )
  assert.equal(code, problems.length === 0 ? 0 : 1, ran.err())
  return { findings, problems }
}

/** Returns a value per table. The value changes if something writes to the table. */
async function writes() {
  const rows = await sql<{ table: string; xmin: string }[]>`
    select 'requests' as table, max(xmin::text::bigint)::text as xmin from requests
    union all select 'jobs', max(xmin::text::bigint)::text from jobs
    union all select 'events', max(xmin::text::bigint)::text from events
    union all select 'workers', count(*)::text from workers
    union all select 'secret_keys', max(xmin::text::bigint)::text from secret_keys`
  return rows.map((row) => ({ ...row }))
}

test('restore-check accepts a complete copy of a database; reports a wrong key, a changed balance, and missing files; and writes nothing [operator.commands.13]', {
  timeout: 240_000,
}, async () => {
  const body = { source: sources.url('/photo.png'), operations: [{ type: 'grayscale' }] }
  await service.finish('/v1/images/process', body)
  await service.finish('/v1/images/process', body)
  const before = await writes()
  const { findings, problems } = await check()
  assert.deepEqual(problems, [])
  const message = (part: string) => findings.find((finding) => finding.part === part)?.message ?? ''
  assert.match(message('copy'), /a start would run 0 requests and deliver 0 events$/)
  assert.equal(message('files'), '2 files of 2 results are complete')
  assert.deepEqual(await writes(), before)
  await sql`update requests set deleted_at = deleted_at - interval '1 year'`
  assert.deepEqual((await check()).problems, ['warning: files: no file was checked: the copy has no unexpired result'])
  await sql`update requests set deleted_at = deleted_at + interval '1 year'`

  const wrongKey = await check('a key that this database has never seen before')
  assert.match(wrongKey.problems[0] ?? '', /^fault: keys: SECRET_KEY lacks the key/)

  const entries = await readdir(join(dataDir, 'results'), { recursive: true, withFileTypes: true })
  const file = entries.find(isStoredFile) ?? assert.fail('no stored file')
  await truncate(join(file.parentPath, file.name), 3)
  assert.match(
    (await check()).problems.join(),
    /^warning: files: 1 of 2 files are missing or have another size \(request \d+\)$/,
  )
  const empty = await mkdtemp(join(tmpdir(), 'mediamill-restored-'))
  after(() => rm(empty, { recursive: true, force: true }))
  assert.match(
    (await check(SECRET_KEY, empty)).problems.join(),
    /^fault: files: .*results does not exist, and the copy has results$/,
  )
  await mkdir(join(empty, 'results'))
  assert.match((await check(SECRET_KEY, empty)).problems.join(), /^warning: files: 2 of 2 files/)
  const left = await readdir(join(empty, 'results'), { recursive: true, withFileTypes: true })
  assert.ok(!left.some((entry) => entry.isFile()), 'the check writes no marker')

  await sql`update accounts set balance = balance + 1 where id = (select min(id) from accounts)`
  assert.match((await check()).problems.join('\n'), /^fault: ledger: 1 wrong balance, 0 wrong charges/m)
})

test('restore-check reports a database copy with an older schema', { timeout: 120_000 }, async () => {
  await using older = await createDatabase()
  await older.sql`delete from migrations where name > '0074'`
  const ran = run(['restore-check'], { DATABASE_URL: older.url, SECRET_KEY, DATA_DIR: dataDir })
  assert.equal(await ran.ended, 1)
  assert.match(ran.out(), /^✗ schema +\d+ migrations are missing in the copy\n/)
})
