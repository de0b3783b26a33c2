import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { microUsd } from '@mediamill/contract/domain/money'
import { openAccount } from '@mediamill/lab/support/request-rows'
import sharp from 'sharp'
import { at, draw, env, folder, mediamill, service } from './command-line-fixture.ts'

const PRELOAD = pathToFileURL(join(import.meta.dirname, '../../../../lab/support/kill-at-step.ts')).href

async function charged(): Promise<number[]> {
  const [row] = await service.sql<{ requests: number; charges: number }[]>`
    select count(*)::int as requests, (count(*) filter (where price > 0))::int as charges from requests`
  return [row?.requests ?? -1, row?.charges ?? -1]
}

test('a command that is killed and repeated at each step makes one request, one charge, and one result per file', async () => {
  const [requests = 0, charges = 0] = await charged()
  await mkdir(at('kill'))
  for (const [index, color] of ['#010203', '#040506', '#070809'].entries()) await draw(`kill/${index}.png`, color)
  const args = ['process', 'kill', '--resize', '5x5', '--watermark', 'logo.png,x=0,y=0', '-o', 'killed/']
  args.push('--concurrency', '1')
  let kills = 0
  // The first run has at most 20 steps. Later runs have fewer steps, because they continue.
  for (let killAt = 1; killAt <= 20; killAt += 1) {
    for (const isAfter of [false, true]) {
      const more = { KILL_AT: String(killAt), KILL_AFTER: isAfter ? 'yes' : 'no' }
      const { signal } = await mediamill(args, { env: { ...env, ...more }, preload: PRELOAD })
      if (signal === 'SIGKILL') kills += 1
    }
  }
  assert.ok(kills >= 8, `${kills} kills`)
  const last = await mediamill(args)
  assert.deepEqual([last.code, last.out.split('\n').length], [0, 4], last.err)
  const names = (await readdir(at('killed'))).filter((name) => !name.startsWith('.'))
  assert.deepEqual(names.toSorted(), ['0.jpg', '1.jpg', '2.jpg'])
  for (const name of names) assert.equal((await sharp(at(`killed/${name}`)).metadata()).width, 5)
  assert.deepEqual(await charged(), [requests + 3, charges + 3])
})

test('commands that run at the same time share the requests of their common inputs', async () => {
  const [requests = 0] = await charged()
  await draw('shared.png', '#0a0b0c')
  const runs = await Promise.all(
    ['one', 'two', 'three'].map((name) => mediamill(['process', 'shared.png', '--resize', '6x6', '-o', `${name}.png`])),
  )
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0],
    runs.map(({ err }) => err).join('\n'),
  )
  assert.equal((await charged())[0], requests + 1)
})

async function ownAccount() {
  const { id, liveKey } = await openAccount(service.sql, microUsd(1_000_000))
  const home = await mkdtemp(join(folder, 'home-'))
  const own = { ...env, MEDIAMILL_API_KEY: liveKey, HOME: home }
  const state = join(home, '.local/state/mediamill')
  return {
    run: async (args: string[]) => await mediamill(args, { env: own }),
    count: async () => (await service.sql`select 1 from requests where account_id = ${id}`).length,
    journal: async () => join(state, (await readdir(state)).find((name) => name.endsWith('.jsonl')) ?? ''),
  }
}

test('a command continues without a second charge if the first line of its journal is damaged', async () => {
  const { run, count, journal } = await ownAccount()
  const args = ['process', 'photo.png', '--grayscale', '-o', 'gray-damaged.png']
  assert.equal((await run(args)).code, 0)
  const text = await readFile(await journal(), 'utf8')
  await writeFile(await journal(), text.slice(9))
  const again = await run(args)
  assert.deepEqual([again.code, await count()], [0, 1], again.err)
  assert.match(again.err, /photo\.png: done before/)
})

test('if the journal of a command cannot be written, the error names the journal file', async () => {
  const { run, count, journal } = await ownAccount()
  const args = ['process', 'photo.png', '--grayscale', '-o', 'gray-unwritable.png']
  assert.equal((await run([...args, '--fresh'])).code, 0)
  const path = await journal()
  await rm(path)
  await mkdir(path)
  const { code, err } = await run([...args, '--force'])
  assert.deepEqual([code, await count()], [1, 1])
  assert.match(
    err,
    /^mediamill: \S+\.jsonl, the record of sent requests, cannot be written \(EISDIR\)\. .*XDG_STATE_HOME/,
  )
})

test('a command continues without a second charge if its journal was lost', async () => {
  const { run, count, journal } = await ownAccount()
  const args = ['process', 'photo.png', '--grayscale', '-o', 'gray-lost.png', '--force']
  assert.equal((await run(args)).code, 0)
  await rm(await journal())
  assert.equal((await run(args)).code, 0)
  assert.equal(await count(), 1)
})

test('a command processes and charges an input again after more than 24 hours', async () => {
  const { run, count, journal } = await ownAccount()
  const args = ['process', 'photo.png', '--grayscale', '-o', 'gray-old.png', '--force']
  assert.equal((await run(args)).code, 0)
  const text = await readFile(await journal(), 'utf8')
  const older = (_: string, time: string) => `"begun":${Number(time) - 86_400_000}`
  await writeFile(await journal(), text.replaceAll(/"begun":(\d+)/g, older))
  await service.sql`delete from idempotency_keys`
  assert.equal((await run(args)).code, 0)
  assert.equal(await count(), 2)
  assert.doesNotMatch(await readFile(await journal(), 'utf8'), new RegExp(text.split('\n')[1] ?? ''))
})
