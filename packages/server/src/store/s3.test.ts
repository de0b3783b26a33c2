import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CreateMultipartUploadCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { S3Server } from '@mediamill/lab/support/s3-server'
import { startS3rver, startSwift, useCredentials, whyNoSwift } from '@mediamill/lab/support/s3-server'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { LOCALHOST_CERTIFICATE } from '@mediamill/lab/support/tls'
import { isStoreReachable, tryStore } from './health.ts'
import { openS3Store } from './s3.ts'
import type { Store } from './store.ts'

const REQUEST = 4711 as RequestId
const root = await sharedFolder('s3-test-')

const RESPONSE = {
  method: 'GET',
  contentType: 'image/webp',
  contentDisposition: 'inline; filename="7.webp"',
  cacheControl: 'private, max-age=3600, immutable',
} as const
const HOUR_MS = 3_600_000

async function scratchFile(content: string | Buffer): Promise<string> {
  const path = join(root, randomBytes(8).toString('hex'))
  await writeFile(path, content)
  return path
}

async function openStore(server: S3Server, prefix = 'some/where', secret = server.secret): Promise<Store> {
  useCredentials({ keyId: server.keyId, secret })
  return await openS3Store({ bucket: server.bucket, prefix, endpoint: server.endpoint, region: undefined })
}

async function linkOf(store: Store, key: string, method: 'GET' | 'HEAD' = 'GET'): Promise<string> {
  const link = await store.link(key, { ...RESPONSE, method }, 60)
  assert.ok(link !== undefined)
  return link
}

function storesAndServes(start: () => Promise<S3Server>, { listsParts }: { listsParts: boolean }): void {
  const started = start()
  after(async () => (await started)[Symbol.asyncDispose]())

  test('the bucket store reads a stored file back, whole or by range, and does not delete the local file', async () => {
    const store = await openStore(await started)
    const path = await scratchFile('hello, stored world')
    const key = await store.put(path, 'webp', REQUEST)
    assert.match(key, /^[0-9a-f]{40}\.webp$/)
    assert.equal(await store.size(key), 19)
    const whole = await store.open(key)
    assert.equal(whole && (await buffer(whole.body)).toString(), 'hello, stored world')
    const part = await store.open(key, { start: 7, end: 12 })
    assert.equal(part && (await buffer(part.body)).toString(), 'stored')
    assert.equal(part?.size, 19)
    assert.notEqual(await store.put(path, 'webp', REQUEST), key)
  })

  test('the bucket store returns undefined for a missing file, and deleting a missing file is not an error', async () => {
    const store = await openStore(await started)
    const key = await store.put(await scratchFile('x'), 'png', REQUEST)
    await store.delete(key)
    await store.delete(key)
    assert.equal(await store.size(key), undefined)
    assert.equal(await store.open(key), undefined)
    assert.equal((await fetch(await linkOf(store, key))).status, 404)
  })

  test('the bucket store reports a missing bucket as unreachable, and its trial write fails', async () => {
    const server = await started
    const store = await openStore({ ...server, bucket: 'resluts' })
    assert.equal(await isStoreReachable(store), false)
    assert.equal((await tryStore(store))?.step, 'find the bucket')
  })

  test('the bucket store reports an existing bucket as reachable, and its trial write leaves nothing behind', async () => {
    const store = await openStore(await started, 'tried')
    assert.equal(await isStoreReachable(store), true)
    assert.equal(await tryStore(store), undefined)
    assert.deepEqual(await Array.fromAsync(store.keys(new Date(Date.now() + HOUR_MS))), [])
  })

  test('a signed bucket link serves the file for at most a minute, with its type and name [results.files.1, results.files.2]', async () => {
    const store = await openStore(await started)
    const key = await store.put(await scratchFile('linked'), 'webp', REQUEST)
    const link = await store.link(key, RESPONSE, 3_600)
    assert.equal(new URL(link ?? '').searchParams.get('X-Amz-Expires'), '60')
    const response = await fetch(link ?? '')
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/webp')
    assert.equal(response.headers.get('content-disposition'), 'inline; filename="7.webp"')
    assert.equal(response.headers.get('cache-control'), 'private, max-age=3600, immutable')
    assert.equal(await response.text(), 'linked')
    const part = await fetch(link ?? '', { headers: { range: 'bytes=2-3' } })
    assert.deepEqual([part.status, await part.text()], [206, 'nk'])
    const head = await fetch(await linkOf(store, key, 'HEAD'), { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '6'])
  })

  test('the bucket store uploads a file of 17 MiB in three parts, and reads it back unchanged', async () => {
    const store = await openStore(await started)
    const content = randomBytes(17 * 1024 * 1024)
    const key = await store.put(await scratchFile(content), 'mp4', REQUEST)
    assert.equal(await store.size(key), content.length)
    const { bucket, client } = await started
    const stored = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: `some/where/${key}` }))
    assert.equal(stored.ContentType, 'video/mp4')
    const response = await fetch(await linkOf(store, key))
    if (listsParts) assert.match(response.headers.get('etag') ?? '', /-3"?$/)
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    assert.equal(digest(Buffer.from(await response.arrayBuffer())), digest(content))
  })

  test('storing a result ends with its timeout, which is longer for large files', async (t) => {
    const store = await openStore(await started)
    const timeout = t.mock.method(AbortSignal, 'timeout', () => AbortSignal.abort())
    for (const size of [1, 9 * 1024 * 1024]) {
      const path = await scratchFile(Buffer.alloc(size))
      await assert.rejects(store.put(path, 'mp4', REQUEST), { name: 'AbortError' })
    }
    assert.deepEqual(
      timeout.mock.calls.map(({ arguments: [ms] }) => ms),
      [60_001, 69_216],
    )
  })

  test('the bucket store lists files by age, and ignores files with another prefix', async () => {
    const [mine, theirs] = [await openStore(await started, 'mine'), await openStore(await started, 'mine/too')]
    const key = await mine.put(await scratchFile('mine'), 'png', REQUEST)
    const other = await theirs.put(await scratchFile('theirs'), 'png', REQUEST)
    const soon = new Date(Date.now() + HOUR_MS)
    assert.deepEqual(await Array.fromAsync(mine.keys(soon)), [key])
    assert.deepEqual(await Array.fromAsync(theirs.keys(soon)), [other])
    assert.deepEqual(await Array.fromAsync(mine.keys(new Date(Date.now() - HOUR_MS))), [])
    assert.equal(await theirs.size(key), undefined)
  })

  test('the bucket store rejects a key that no store created, and a symbolic link as a result file', async () => {
    const store = await openStore(await started)
    for (const key of ['../../secret', '', `${'a'.repeat(40)}.png/..`, `${'A'.repeat(40)}.png`]) {
      await assert.rejects(() => store.size(key), RangeError)
      await assert.rejects(() => store.link(key, RESPONSE, 60), RangeError)
    }
    const soft = join(root, `soft-${randomBytes(4).toString('hex')}`)
    await symlink(await scratchFile('root:x:0:0'), soft)
    await assert.rejects(() => store.put(soft, 'png', REQUEST), { code: 'ELOOP' })
  })
}

describe('the bucket store on s3rver', () => {
  const started = startS3rver()
  storesAndServes(() => started, { listsParts: false })

  test('if a server cannot list unfinished uploads, the bucket store deletes no unfinished uploads', async () => {
    const store = await openStore(await started)
    assert.equal(await store.sweep(new Date(Date.now() + HOUR_MS)), 0)
  })
})

const noSwift = whyNoSwift()
describe('the bucket store on Swift', { skip: noSwift ?? false }, () => {
  if (noSwift !== undefined) return
  const started = startSwift()
  storesAndServes(() => started, { listsParts: true })

  test('the bucket server rejects a changed link, a link without a signature, and a wrong secret', async () => {
    const store = await openStore(await started)
    const key = await store.put(await scratchFile('secret'), 'webp', REQUEST)
    const link = await linkOf(store, key)
    const flipped = link.replace(/(X-Amz-Signature=)(.)/, (_, name, digit) => name + (digit === '0' ? '1' : '0'))
    const longer = link.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000')
    const other = link.replace(key, await store.put(await scratchFile('other'), 'webp', REQUEST))
    for (const changed of [flipped, longer, other]) {
      assert.notEqual(changed, link)
      assert.equal((await fetch(changed)).status, 403)
    }
    assert.ok([400, 401, 403].includes((await fetch(link.split('?')[0] ?? '')).status))
    const stranger = await openStore(await started, 'some/where', 'wrong')
    const path = await scratchFile('x')
    await assert.rejects(() => stranger.put(path, 'png', REQUEST), { name: 'SignatureDoesNotMatch' })
    await assert.rejects(() => stranger.size(key))
    await assert.rejects(() => stranger.delete(key))
    assert.equal(await store.size(key), 6)
  })

  test('if a body fails after its first part, the bucket store leaves no unfinished upload', async () => {
    const store = await openStore(await started, 'broken')
    const body = async function* () {
      yield randomBytes(6 * 1024 * 1024)
      throw new Error('broke off')
    }
    await assert.rejects(store.write(`${'0'.repeat(40)}.upload`, body()), /broke off/)
    assert.equal(await store.sweep(new Date(Date.now() + HOUR_MS)), 0)
  })

  test('the bucket store deletes old unfinished uploads', async () => {
    const { bucket, client } = await started
    const store = await openStore(await started, 'swept')
    const Key = `swept/${'0'.repeat(40)}.mp4`
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }))
    assert.equal(await store.sweep(new Date(Date.now() - HOUR_MS)), 0)
    assert.equal(await store.sweep(new Date(Date.now() + HOUR_MS)), 1)
    assert.equal(await store.sweep(new Date(Date.now() + HOUR_MS)), 0)
  })
})

test('the bucket store does not open without credentials, and the error names the settings for the credentials', async () => {
  useCredentials({ keyId: '', secret: '' })
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true'
  const nowhere = { bucket: 'results', prefix: '', endpoint: 'http://127.0.0.1:1', region: undefined }
  await assert.rejects(openS3Store(nowhere), (error) => {
    return error instanceof OperatorError && /AWS_ACCESS_KEY_ID/.test(error.message)
  })
})

test('STORAGE_CA verifies a bucket server whose certificate is from a private CA', async () => {
  const server = await startS3rver()
  after(() => server[Symbol.asyncDispose]())
  const { key, cert } = LOCALHOST_CERTIFICATE
  const front = createServer({ key, cert }, (call, response) => {
    const { method, headers, url } = call
    const onward = request(`${server.endpoint}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    call.pipe(onward)
  }).listen(0, '127.0.0.1')
  after(() => {
    front.close()
    front.closeAllConnections()
  })
  await once(front, 'listening')
  const { port } = front.address() as AddressInfo
  const bucket = { bucket: server.bucket, prefix: 'tls', endpoint: `https://localhost:${port}`, region: undefined }
  const credentials = { accessKeyId: server.keyId, secretAccessKey: server.secret }
  assert.equal(await tryStore(await openS3Store(bucket, { credentials, ca: cert })), undefined)
  const unverified = await openS3Store(bucket, { credentials })
  await assert.rejects(() => unverified.check(), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})

test('a call to a store that accepts connections and never responds fails after 60 s', async (t) => {
  const silent = createTcpServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const credentials = { accessKeyId: 'x', secretAccessKey: 'y' }
  const store = await openS3Store({ bucket: 'b-1', prefix: '', endpoint, region: undefined }, { credentials })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let hasEnded = false
  const check = store.check().finally(() => (hasEnded = true))
  const rejected = assert.rejects(check, { code: 'ETIMEDOUT' })
  while (!hasEnded) {
    t.mock.timers.tick(1_000)
    await setImmediate()
  }
  await rejected
  silent.close()
})

test('a call to a store that does not respond fails within its timeout', async () => {
  useCredentials({ keyId: 'x', secret: 'y' })
  const away = await openS3Store({ bucket: 'b-1', prefix: '', endpoint: 'http://127.0.0.1:1', region: undefined })
  const path = await scratchFile(randomBytes(9 * 1024 * 1024))
  await assert.rejects(() => away.put(path, 'mp4', REQUEST), { code: 'ECONNREFUSED' })
})
