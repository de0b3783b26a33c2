import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { until } from '@mediamill/lab/support/process'
import { scriptedRejection, scriptedRequest, scriptFetch } from '@mediamill/lab/support/scripted-fetch'
import { createVirtualClock } from '@mediamill/lab/support/virtual-clock'
import type { BatchOptions } from '../index.ts'
import { Mediamill, openFile } from '../index.ts'
import { withClock } from '../transport/clock.ts'

const DAY_MS = 86_400_000
const isRequest = (path: string) => path.startsWith('/v1/requests/')
const read = { endpoint: 'images/read' } as const

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-sdk-batch-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A fake service. Like the real service, it starts one request for each idempotency key. */
function countingService(
  outcome: (content: string) => 'succeeded' | 'failed' | 'processing' = () => 'succeeded',
  isInvalid: (body: string) => boolean = () => false,
) {
  const clock = createVirtualClock()
  const requests = new Map<string, { id: number; status: string; body: string }>()
  const uploads: string[] = []
  const deleted: string[] = []
  const estimates: string[] = []
  const contents = new Map<string, string>()
  let [heldUntil, isRestricted] = [0, false]
  const base = scriptFetch(({ path, method, body, headers }) => {
    const [, , kind = '', id = ''] = path.split(/[/?]/)
    if ((kind === 'account' || kind === 'requests') && isRestricted)
      return scriptedRejection(403, 'permission', 'key_restricted')
    if (kind === 'account') return { body: { limits: { concurrent_requests: 2, max_source_bytes: 20 } } }
    if (kind === 'uploads' && method === 'DELETE') {
      deleted.push(id)
      return { body: { deleted: true } }
    }
    if (kind === 'uploads') {
      const name = `upl_${uploads.length}`
      const times = { created_at: new Date(clock.now()), expires_at: new Date(clock.now() + DAY_MS) }
      return { body: { id: name, source: `upload:${name}`, ...times } }
    }
    if (kind === 'requests') {
      const found = [...requests.values()].find((one) => one.id === Number(id))
      if (method === 'GET' && found?.status === 'processing') return 'nothing'
      return { body: scriptedRequest(found?.status ?? 'aborted', { id: Number(id) }) }
    }
    if (path.endsWith('/estimate')) {
      estimates.push(path)
      return isInvalid(body) ? scriptedRejection(422, 'invalid_request', 'validation_failed') : { body: {} }
    }
    if (clock.now() < heldUntil)
      return scriptedRejection(409, 'conflict', 'idempotency_key_in_use', { 'retry-after': '1' })
    if (isInvalid(body)) return scriptedRejection(422, 'invalid_request', 'validation_failed')
    const key = headers.get('idempotency-key') ?? ''
    const known = requests.get(key)
    const source = JSON.parse(body).source as string
    const content = contents.get(source) ?? source
    if (known !== undefined && known.body !== content)
      return scriptedRejection(409, 'conflict', 'idempotency_key_reused')
    const request = known ?? { id: requests.size + 1, status: outcome(content), body: content }
    requests.set(key, request)
    const replayed: Record<string, string> = known === undefined ? {} : { 'idempotent-replayed': 'true' }
    return { body: scriptedRequest(request.status, { id: request.id }), headers: replayed }
  })
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (init?.body instanceof Blob) {
      contents.set(`upload:upl_${uploads.length}`, await init.body.text())
      const response = await base(url, init)
      uploads.push('')
      return response
    }
    return await base(url, init)
  }
  const client = () => new Mediamill(withClock({ baseUrl: 'https://m.example', apiKey: 'svc_test_a', fetch }, clock))
  const hold = (ms: number) => void (heldUntil = clock.now() + ms)
  const restrict = () => void (isRestricted = true)
  return { client, hold, restrict, requests, uploads, deleted, estimates, clock, calls: base.calls }
}

const isWrong = (body: string) => body.includes('"level":"wrong"')

const files = (...contents: string[]) => contents.map((content) => new Blob([content]))

async function run(client: Mediamill, sources: Blob[], options: BatchOptions = {}) {
  const ended: Record<string, string> = {}
  for await (const one of client.batch(sources, read, options)) {
    ended[await (one.source as Blob).text()] = one.ok ? `${one.request.id}${one.isEarlier ? ' earlier' : ''}` : 'failed'
  }
  return ended
}

test('a batch returns each source once, with its result or its own error, and reports its progress', async () => {
  const { client, requests } = countingService((content) => (content === 'b' ? 'failed' : 'succeeded'))
  const seen: string[] = []
  const ended = await run(client(), files('a', 'b', 'c'), {
    onProgress: ({ done, failed, total }) => seen.push(`${done} ${failed} ${total}`),
  })
  assert.deepEqual([Object.keys(ended).toSorted(), ended['b']], [['a', 'b', 'c'], 'failed'])
  assert.deepEqual([requests.size, seen.at(-1)], [3, '3 1 3'])
})

test('a batch with an invalid parameter uploads only its first file, and reports the error for each file', async () => {
  const { client, requests, calls } = countingService(undefined, isWrong)
  const errors: unknown[] = []
  const params = { endpoint: 'images/read', level: 'wrong' as never } as const
  for await (const one of client().batch(files('abc', 'def', 'ghi'), params)) errors.push(!one.ok && one.error)
  assert.deepEqual(
    errors.map(String),
    Array.from({ length: 3 }, () => 'InvalidRequestError: validation_failed.'),
  )
  const sizes = calls.filter(({ path }) => path.startsWith('/v1/uploads')).map(({ body }) => body)
  assert.deepEqual([sizes.toSorted(), requests.size], [['[1 bytes]', '[3 bytes]'], 0])
})

test('a batch of several files estimates the parameters of its first file once, and a batch of one file estimates nothing', async () => {
  const { client, estimates } = countingService(undefined, isWrong)
  await run(client(), files('a'))
  assert.equal(estimates.length, 0)
  await run(client(), files('b', 'c', 'd'))
  assert.equal(estimates.length, 1)
  const params = (_: unknown, index: number) =>
    ({ endpoint: 'images/read', level: (index === 0 ? 'wrong' : 'full') as 'full' }) as const
  const ended: boolean[] = []
  for await (const one of client().batch(files('e', 'f'), params)) ended[one.index] = one.ok
  assert.deepEqual([ended, estimates.length], [[false, true], 1])
})

test('if the promise of a source rejects before the batch needs it, the batch reports the error and continues', async () => {
  const { client } = countingService()
  const missing = ['1', '2', '3'].map(async (name) => await openFile(`no-such-file-${name}`))
  const results = client().batch([...files('a'), ...missing, ...files('b')], read)
  await nextTurn()
  const ended: string[] = []
  for await (const one of results) ended[one.index] = one.ok ? 'ok' : String(one.error)
  const errors = ['1', '2', '3'].map((name) => `MediamillError: The file no-such-file-${name} does not exist.`)
  assert.deepEqual(ended, ['ok', ...errors, 'ok'])
})

test('sources with the same content share one request in a batch', async () => {
  const { client, requests } = countingService()
  const found: number[] = []
  for await (const one of client().batch(files('a', 'a', 'b'), read)) if (one.ok) found.push(one.request.id)
  assert.deepEqual([found.length, requests.size], [3, 2])
})

test('after a crash at any byte of the journal file, a batch sends and charges no source twice', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    const { client, requests } = countingService()
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '1' })
    const text = await readFile(journal, 'utf8')
    const header = text.indexOf('\n') + 1
    // If the file ends within its first line, the killed run has sent nothing, so the next run creates a new id.
    for (let length = header; length <= text.length; length += 1) {
      await writeFile(journal, text.slice(0, length))
      assert.match((await run(client(), files('a'), { journal }))['a'] ?? '', /^1/)
      assert.equal(requests.size, 1, `after ${length} bytes`)
    }
    for (const length of [0, 1, header - 2]) {
      await writeFile(journal, text.slice(0, length))
      const service = countingService()
      await run(service.client(), files('a'), { journal })
      assert.deepEqual(await run(service.client(), files('a'), { journal }), { a: '1 earlier' })
      assert.equal(service.requests.size, 1)
    }
    assert.deepEqual(await readdir(folder), ['batch.jsonl'])
  })
})

test('a batch does not change a file that is not a batch journal', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'notes.txt')
    for (const text of ['my notes\n', 'my notes', '{"mediamill_journal":1}\n']) {
      await writeFile(path, text)
      await assert.rejects(run(countingService().client(), files('a'), { journal: path }), /is not a journal/)
      assert.equal(await readFile(path, 'utf8'), text)
    }
  })
})

test('a batch retries a source that failed in an earlier run of the batch, but not a source that failed in the current run', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    let outcome: 'failed' | 'succeeded' = 'failed'
    const { client, requests, clock } = countingService(() => outcome)
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: 'failed' })
    assert.equal(requests.size, 1)
    outcome = 'succeeded'
    await clock.sleep(DAY_MS, undefined)
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '2' })
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '2 earlier' })
  })
})

/** Makes a journal look as if its last run was killed before the service responded. */
async function forgetResponses(journal: string): Promise<void> {
  const lines = (await readFile(journal, 'utf8')).split('\n')
  const sent = lines.findLast((line) => line.includes('"begun"') && !line.includes('"request"'))
  await writeFile(journal, `${lines[0]}\n${sent}\n`)
}

const HOURS_MS = 3_600_000

test("a batch does not send a source again if the service may already have deleted the source's idempotency key", async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    const { client, requests, clock } = countingService()
    const runLater = async (hours: number) => {
      await forgetResponses(journal)
      await clock.sleep(hours * HOURS_MS, undefined)
      const results = []
      for await (const one of client().batch(files('a'), read, { journal })) results.push(one)
      return results[0]?.ok === false ? String(results[0].error) : 'sent'
    }
    await run(client(), files('a'), { journal })
    assert.equal(await runLater(20), 'sent')
    assert.match(await runLater(4), /more than 23 hours ago/, 'the time since the first run counts')
    assert.equal(requests.size, 1)
  })
})

test('a batch that retries a failed source records the time of the retry, when it sends a new idempotency key', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    let outcome: 'failed' | 'succeeded' = 'failed'
    const { client, clock } = countingService(() => outcome)
    await run(client(), files('a'), { journal })
    outcome = 'succeeded'
    for (const expected of ['2', '2 earlier']) {
      await forgetResponses(journal)
      await clock.sleep(20 * HOURS_MS, undefined)
      assert.deepEqual(await run(client(), files('a'), { journal }), { a: expected })
    }
  })
})

test('batches in several processes can share a journal, and together charge each source once', async () => {
  await inFolder(async (folder) => {
    const { client, requests } = countingService()
    const journal = join(folder, 'batch.jsonl')
    const sources = ['a', 'b', 'c', 'd']
    const all = await Promise.all(
      Array.from({ length: 4 }, async () => await run(client(), files(...sources), { journal })),
    )
    for (const ended of all) assert.deepEqual(Object.keys(ended).toSorted(), sources)
    assert.equal(requests.size, 4)
    const later = await run(client(), files(...sources), { journal })
    assert.ok(Object.values(later).every((text) => text.endsWith(' earlier')))
    assert.equal(requests.size, 4)
  })
})

test('a batch continues with the accepted request of a killed run, and does not send the source again', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    let outcome: 'processing' | 'succeeded' = 'processing'
    const { client, requests, calls } = countingService(() => outcome)
    const leave = new AbortController()
    const killed = run(client(), files('a'), { journal, signal: leave.signal })
    await until(() => calls.some(({ path }) => isRequest(path)))
    const text = await readFile(journal, 'utf8')
    leave.abort(new Error('enough'))
    await assert.rejects(killed, /enough/)
    await writeFile(journal, text)
    outcome = 'succeeded'
    for (const request of requests.values()) request.status = 'succeeded'
    const before = calls.length
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '1 earlier' })
    assert.deepEqual(
      calls.slice(before).map(({ method, path }) => `${method} ${path}`),
      ['GET /v1/account', 'GET /v1/requests/1'],
    )
  })
})

test('a batch with a key that cannot read the account runs two requests at a time', async () => {
  const { client, requests, restrict } = countingService()
  restrict()
  assert.deepEqual(await run(client(), files('a', 'b', 'c')), { a: '1', b: '2', c: '3' })
  assert.equal(requests.size, 3)
})

test('a batch continues with a key that cannot read requests, and the service charges no source twice', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    const { client, restrict, requests } = countingService()
    restrict()
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '1' })
    assert.deepEqual(await run(client(), files('a'), { journal }), { a: '1 earlier' })
    assert.equal(requests.size, 1)
  })
})

test('a batch waits while the idempotency key of a call from a killed run is in use', async () => {
  const { client, requests, hold } = countingService()
  hold(30_000)
  assert.deepEqual(await run(client(), files('a')), { a: '1' })
  assert.equal(requests.size, 1)
})

test('a batch reports the bytes of each upload, and each state of the request of a video', async () => {
  const { client } = countingService()
  const seen: string[] = []
  const onSource: BatchOptions['onSource'] = ({ index, sent, size, request }) =>
    seen.push(request === undefined ? `${index}: ${sent} of ${size}` : `${index}: ${request.status}`)
  await run(client(), files('abc'), { onSource })
  assert.deepEqual(seen, ['0: 3 of 3'])
  seen.length = 0
  for await (const one of client().batch(files('abc'), { endpoint: 'videos/read' }, { onSource })) assert.ok(one.ok)
  assert.deepEqual(seen, ['0: 3 of 3', '0: succeeded'])
})

test('aborting the AbortSignal of a batch throws the abort reason and aborts the requests of the batch', async () => {
  await inFolder(async (folder) => {
    const journal = join(folder, 'batch.jsonl')
    const { client } = countingService()
    const controller = new AbortController()
    const seen: number[] = []
    await assert.rejects(async () => {
      for await (const one of client().batch(files('a', 'b', 'c', 'd'), read, { journal, signal: controller.signal })) {
        seen.push(one.index)
        controller.abort(new Error('enough'))
      }
    }, /enough/)
    assert.ok(seen.length < 4, `${seen.length} results`)
    assert.deepEqual(await readdir(folder), ['batch.jsonl'])
  })
})

for (const how of ['its signal aborts', 'its loop is left'])
  test(`a batch aborts its unfinished requests, and leaves finished requests unchanged, if ${how}`, async () => {
    const { client, requests, calls } = countingService((content) => (content === 'a' ? 'succeeded' : 'processing'))
    const controller = new AbortController()
    const work = async () => {
      const options = { concurrency: 3, signal: controller.signal }
      for await (const _ of client().batch(files('a', 'b', 'c'), read, options)) {
        await until(() => new Set(calls.map(({ path }) => path).filter(isRequest)).size === 2)
        if (how === 'its loop is left') break
        controller.abort(new Error('enough'))
      }
    }
    if (how === 'its loop is left') await work()
    else await assert.rejects(work(), /enough/)
    const unfinished = [...requests.values()].filter(({ status }) => status === 'processing')
    assert.deepEqual(
      calls.flatMap(({ path }) => (path.endsWith('/abort') ? [path] : [])).toSorted(),
      unfinished.map(({ id }) => `/v1/requests/${id}/abort`).toSorted(),
    )
    assert.equal(unfinished.length, 2)
  })

for (const kind of ['Blobs', 'bytes'])
  test(`a batch of ${kind} deletes its uploads when they use half of the account's storage quota`, async () => {
    const { client, deleted } = countingService()
    const contents = ['1', '2', '3', '4'].map((text) => text.repeat(40))
    const sources = kind === 'Blobs' ? files(...contents) : contents.map((text) => Buffer.from(text))
    for await (const one of client().batch(sources, read, { concurrency: 1 })) assert.ok(one.ok)
    assert.equal(deleted.length, 2)
  })
