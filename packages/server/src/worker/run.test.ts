import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { bareIsolation } from '@mediamill/lab/support/bare-isolation'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { LINKS } from '@mediamill/lab/support/deliveries'
import { quarters } from '@mediamill/lab/support/images'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { findAccount } from '../db/accounts/accounts.ts'
import { connect } from '../db/connection/connect.ts'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { abort } from '../requests/abort.ts'
import { accept } from '../requests/accept.ts'
import type { Claim } from '../requests/claim.ts'
import { claim } from '../requests/claim.ts'
import { find } from '../requests/find.ts'
import { openDiskStore } from '../store/disk.ts'
import { EngineCrashError } from '../supervisor/engine-crash.ts'
import type { EngineHostOptions } from '../supervisor/engine-host.ts'
import { createEngineHost } from '../supervisor/engine-host.ts'
import { openScratch } from '../supervisor/scratch.ts'
import { createLog } from '../telemetry/log.ts'
import type { WorkerContext } from './job-context.ts'
import { run } from './run.ts'

const MIB = 1024 * 1024
const root = await sharedFolder('mediamill-run-')
const database = await sharedDatabase()
const { sql } = database
const sources = await sharedSourceServer({ '/a.png': await quarters(16, 16), '/text': Buffer.from('no picture') })
const scratch = shared(await openScratch(join(root, 'scratch')))
const store = await openDiskStore(join(root, 'store'))
const log = createLog('silent', 'test')
const engineOptions: EngineHostOptions = {
  name: 'image',
  entry: join(import.meta.dirname, '../../../engines/src/image/main.ts'),
  concurrency: 1,
  memoryBytes: 1024 * MIB,
  cpuMs: 120_000,
  fileBytes: MIB,
  jobsPerProcess: 100,
  isolation: bareIsolation,
  scratch,
  log,
}
const engine = shared(createEngineHost(engineOptions))

const context: WorkerContext = {
  sql,
  scratch,
  engines: { image: engine },
  load: { image: 0, video: 0, document: 0, video_look: 0 },
  store,
  network: { allowedHosts: parseAllowedHosts(sources.host) },
  links: LINKS,
  limits: {
    framePixels: 1e8,
    sourcePixels: 4e8,
    watermarkBytes: MIB,
    resultBytes: { image: MIB, video: MIB, document: MIB },
    deadlineMs: { image: 60_000, video: 60_000, document: 60_000 },
  },
  retentionMs: RETENTION_MS,
  secretKey: SECRET_KEY,
  destinationAttempted: () => undefined,
  log,
}
const never = new AbortController().signal

async function claimed(path = '/a.png') {
  const account = await openAccount(sql)
  const input = { operations: [{ type: 'grayscale' }], output: { format: 'png' } }
  await accept(sql, acceptable(account.id, { source: sources.url(path), input }))
  const found = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(found)
  const current = async () => await find(sql, account.id, found.request.id)
  return { account, claim: found, current }
}

async function filesOf(id: RequestId): Promise<string[]> {
  const keys = await Array.fromAsync(store.keys(new Date(Date.now() + 3_600_000)))
  return keys.filter((key) => Number.parseInt(key.slice(26, 40), 16) === id)
}

/** Calls `happens` after the file is stored and before the request is completed. */
const between = (happens: (claim: Claim) => unknown, { claim }: { claim: Claim }): WorkerContext => ({
  ...context,
  store: {
    ...store,
    async put(...given) {
      const key = await store.put(...given)
      await happens(claim)
      return key
    },
  },
})

test('a claimed request completes with its charge, its file in the store, and its times [requests.states.1, billing.charges.1]', async () => {
  const job = await claimed()
  const outcome = await run(context, job.claim, never)
  assert.ok(outcome?.status === 'succeeded')
  const request = await job.current()
  assert.ok(request.status === 'succeeded')
  assert.deepEqual(
    request.files.map(({ key }) => key),
    await filesOf(request.id),
  )
  assert.equal(await store.size(request.files[0]?.key ?? ''), request.files[0]?.size)
  const row = await findAccount(sql, job.account.id)
  assert.deepEqual([row?.balance, row?.held], [1_000_000 - request.price, 0])
  assert.ok(request.timings !== null && request.price > 0)
})

test("a worker keeps the files of a result if the database's response to the completion was lost", {
  timeout: 120_000,
}, async () => {
  await using way = await openCuttableDatabase(database.url)
  const lossy = connect(way.url, { connections: 2, applicationName: 'test' })
  const job = await claimed()
  way.loseResponseTo(/update requests r set\s+status = end_status/)
  const outcome = await run({ ...context, sql: lossy }, job.claim, never)
  await lossy.end({ timeout: 1 })
  assert.equal(outcome, undefined, 'the second try to settle finds the request final')
  const request = await job.current()
  assert.ok(request.status === 'succeeded')
  assert.deepEqual(
    await filesOf(request.id),
    request.files.map(({ key }) => key),
  )
  assert.equal((await findAccount(sql, job.account.id))?.balance, 1_000_000 - request.price, 'charged once')
})

test('if a request is aborted while its file is being stored, the worker deletes the file [requests.abort.2]', async () => {
  const job = await claimed()
  const aborting = between(({ request }) => abort(sql, job.account.id, request.id), job)
  assert.equal(await run(aborting, job.claim, never), undefined)
  assert.equal((await job.current()).status, 'aborted')
  assert.deepEqual(await filesOf(job.claim.request.id), [])
})

test('a stopped attempt rejects with the reason of the stop, does not complete the request, and leaves no file [operator.stop.1]', async () => {
  const job = await claimed()
  const stopping = new AbortController()
  const reason = new Error('taken over')
  await assert.rejects(
    run(
      between(() => stopping.abort(reason), job),
      job.claim,
      stopping.signal,
    ),
    reason,
  )
  assert.equal((await job.current()).status, 'processing')
  assert.deepEqual(await filesOf(job.claim.request.id), [])
})

test('an error in the source file fails the request; an internal error leaves the request open [errors.failures.1]', async () => {
  const text = await claimed('/text')
  const outcome = await run(context, text.claim, never)
  assert.ok(outcome?.status === 'failed' && outcome.error.code === 'unsupported_media')
  const failed = await text.current()
  assert.ok(failed.status === 'failed' && failed.error.code === 'unsupported_media')
  assert.equal((await findAccount(sql, text.account.id))?.balance, 1_000_000)
  const ours = await claimed()
  await assert.rejects(run({ ...context, engines: {} }, ours.claim, never), /no engine for the lane image/)
  assert.equal((await ours.current()).status, 'processing')
})

test('if engines die before they start, the request stays open for another attempt', async () => {
  await using broken = createEngineHost({ ...engineOptions, entry: join(root, 'missing.ts') })
  const job = await claimed()
  const outcome = run({ ...context, engines: { image: broken } }, job.claim, never)
  await assert.rejects(outcome, (error) => error instanceof EngineCrashError && !error.hasReceivedJob)
  assert.equal((await job.current()).status, 'processing')
})
