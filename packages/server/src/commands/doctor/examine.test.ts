import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import type { DnsAnswer } from '@mediamill/lab/support/dns-server'
import { startDnsServer } from '@mediamill/lab/support/dns-server'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { joinKeyRing } from '../../accounts/key-ring.ts'
import { readConfig } from '../../config/config.ts'
import { fingerprintOf } from '../../lib/key-fingerprint.ts'
import { NO_ALLOWED_HOSTS } from '../../outbound/guard/allowed-hosts.ts'
import { claimNextSegment } from '../../requests/segments/queue.ts'
import { plannedVideo, videoWorker } from '../../requests/segments/segments-fixture.ts'
import { checkClock } from './database.ts'
import { examine } from './examine.ts'
import { good } from './finding.ts'
import { checkFonts } from './fonts.ts'
import { checkDescriptors, checkMachine } from './machine.ts'
import { checkNames } from './names.ts'

const folder = await sharedFolder('mediamill-doctor-test-')
const OFFLINE = { allowedHosts: NO_ALLOWED_HOSTS, dnsServers: [] }

const namesAt = async (output: DnsAnswer) => {
  await using dns = await startDnsServer(({ type }) => (type === 'A' || !Array.isArray(output) ? output : []))
  return await checkNames({ ...OFFLINE, dnsServers: [dns.address] })
}

test('doctor in a new folder checks every component, creates nothing, and suggests a fix for each problem [operator.commands.9]', async () => {
  const config = readConfig({ DATA_DIR: join(folder, 'fresh') })
  const findings = await examine(config, OFFLINE)
  const parts = 'program settings machine sandbox database store disk names fonts descriptors'.split(' ')
  assert.deepEqual(
    findings.map(({ part }) => part),
    parts,
  )
  assert.equal(findings.find(({ part }) => part === 'database')?.verdict, 'good')
  assert.equal(findings.find(({ part }) => part === 'names')?.verdict, 'warning')
  for (const finding of findings) if (finding.verdict !== 'good') assert.match(finding.remedy, /\w\.$/)
  assert.deepEqual(await readdir(folder), [])
})

test('doctor shows the database, its version, and its pending migrations, and applies no migration [operator.commands.9]', async () => {
  await using database = await createDatabase()
  await database.sql`delete from migrations where name < '0003'`
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: database.url, SECRET_KEY })
  const about = async () => {
    const found = await examine(config, OFFLINE)
    return found.filter(({ part }) => part === 'database' || part === 'clock')
  }
  const [found, clock] = await about()
  assert.match(found?.message ?? '', /^PostgreSQL \d+ responds; 2 migrations are pending$/)
  assert.equal(clock?.verdict, 'good')
  assert.deepEqual(await about(), [found, clock])
})

test('doctor shows the SECRET_KEY in use, and warns if a value needs an older key or if a key is missing [operator.commands.9]', async () => {
  await using database = await createDatabase()
  const { sql } = database
  const find = async (secretKey: string) => {
    const config = readConfig({ DATA_DIR: folder, DATABASE_URL: database.url, SECRET_KEY: secretKey })
    return (await examine(config, OFFLINE)).find(({ part }) => part === 'keys') ?? assert.fail()
  }
  const about = async (secretKey: string) => {
    const { verdict, message } = await find(secretKey)
    return `${verdict}: ${message}`
  }
  const remedyFor = async (secretKey: string) => {
    const found = await find(secretKey)
    return found.verdict === 'good' ? undefined : found.remedy
  }
  const newer = 'the key that replaces the key of these tests'
  const old = fingerprintOf(SECRET_KEY)
  await openAccount(sql)
  await joinKeyRing(sql, SECRET_KEY)
  assert.equal(await about(SECRET_KEY), `good: ${old} signs and encrypts; no older key is needed`)
  await joinKeyRing(sql, `${newer},${SECRET_KEY}`)
  assert.equal(
    await about(`${newer},${SECRET_KEY}`),
    `warning: the older key ${old} is not retired; it encrypts 1 webhook secret and 0 destinations`,
  )
  await sql`update secret_keys set last_used_at = '2100-01-01' where fingerprint = ${old}`
  assert.equal(
    await remedyFor(`${newer},${SECRET_KEY}`),
    `Complete the rotation. Run mediamill key-ring reseal. From 2100-01-08T00:01:00.000Z, when the links of the key have expired, run mediamill key-ring retire ${old}.`,
  )
  await sql`update secret_keys set last_used_at = '2000-01-01' where fingerprint = ${old}`
  assert.equal(
    await remedyFor(`${newer},${SECRET_KEY}`),
    `Complete the rotation. Run mediamill key-ring reseal. Run mediamill key-ring retire ${old}.`,
  )
  assert.equal(
    await about(`${SECRET_KEY},${newer}`),
    `warning: the new key ${fingerprintOf(newer)} is recorded, but it is not the first key of SECRET_KEY`,
  )
  assert.equal(await about(newer), `fault: SECRET_KEY lacks the key ${old}, which this database requires`)
  await sql`update secret_keys set retired_at = now() where fingerprint = ${old}`
  assert.equal(await about(newer), 'warning: no key of SECRET_KEY decrypts 1 webhook secret and 0 destinations')
  assert.equal(await about(`${SECRET_KEY},${newer}`), `fault: the first key of SECRET_KEY, ${old}, is retired`)
})

test('doctor counts the segments of split videos, and warns if segments wait and no worker processes a segment [operator.commands.9]', async () => {
  await using database = await createDatabase()
  const { sql } = database
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: database.url, SECRET_KEY })
  const about = async () => (await examine(config, OFFLINE)).find(({ part }) => part === 'long videos')
  assert.deepEqual(await about(), good('long videos', 'no video is split at the moment'))
  const [holder, other] = [await videoWorker(sql), await videoWorker(sql)]
  // Keeps the workers alive. On a busy machine, the checks can take longer than a heartbeat is valid.
  await sql`update workers set seen_at = now() + interval '1 hour'`
  await plannedVideo(sql, holder, 4)
  await sql`update part_plans set created_at = now() - interval '10 minutes'`
  const forgotten = await about()
  assert.equal(forgotten?.verdict, 'warning')
  assert.match(
    forgotten.message,
    /^1 split, the oldest for 60\d s: 0 segments done, 0 running on 0 workers, 4 waiting$/,
  )
  await claimNextSegment(sql, other)
  const moving = await about()
  assert.equal(moving?.verdict, 'good')
  assert.match(moving.message, /1 running on 1 worker, 3 waiting$/)
})

test('doctor reports that the database or the bucket is unavailable [operator.commands.9]', async () => {
  const config = readConfig({
    DATA_DIR: folder,
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    SECRET_KEY,
    STORAGE_URL: 's3://results?endpoint=http%3A%2F%2F127.0.0.1%3A1&region=eu-west-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const findings = await examine(config, OFFLINE)
  for (const part of ['database', 'store']) {
    const finding = findings.find((one) => one.part === part)
    assert.equal(finding?.verdict, 'fault', part)
    assert.match(finding.message, /ECONNREFUSED/)
  }
})

test('doctor checks that the name server works and returns public addresses [operator.commands.9]', async () => {
  assert.equal((await namesAt(['93.184.215.14'])).verdict, 'good')
  assert.match((await namesAt('NXDOMAIN')).message, /no name server resolved example\.com/)
  assert.match((await namesAt(['10.1.2.3'])).message, /to a private address/)
})

test('doctor warns of low memory, too many jobs, a low open file limit, wrong clocks, and missing fonts [operator.commands.9]', async () => {
  const limits = join(folder, 'limits')
  await writeFile(
    limits,
    'Limit                     Soft Limit           Hard Limit\nMax open files            256         256   files\n',
  )
  assert.equal(checkMachine(1, 32 * 1024 ** 3).verdict, 'good')
  assert.match(checkMachine(1, 1024 ** 3).message, /1 GB of memory/)
  const [small, many] = [checkMachine(1, 1024 ** 3), checkMachine(1_000, 32 * 1024 ** 3)]
  const [few, enough] = [await checkDescriptors(64, limits), await checkDescriptors(2, limits)]
  const [ahead, behind, right] = [checkClock(3_600_000), checkClock(-5_000), checkClock(1_000)]
  const fonts = await checkFonts((name) => name !== '@embedpdf/fonts-jp')
  assert.deepEqual(
    [small, many, few, ahead, behind, fonts].map((finding) => finding?.verdict),
    Array(6).fill('warning'),
  )
  assert.deepEqual([enough?.verdict, right.verdict], ['good', 'good'])
  assert.match(ahead.message, /3600\.0 s ahead/)
  assert.match(behind.message, /5\.0 s behind/)
  assert.equal(
    fonts.message,
    'text watermarks and PDFs without embedded fonts will miss characters: @embedpdf/fonts-jp is not installed',
  )
  assert.match((await checkFonts(() => false)).message, /, \S+ are not installed$/)
})
