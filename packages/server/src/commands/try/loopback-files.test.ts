import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serveFiles } from './loopback-files.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-files-'))
const [photo, empty] = [join(folder, 'my photo #1.jpg'), join(folder, 'empty')]
await writeFile(photo, '0123456789')
await writeFile(empty, '')
const files = await serveFiles([photo, empty])
after(async () => {
  await files[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('serves a file whole, in ranges, and by HEAD', async () => {
  const url = files.urlOf(photo)
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}\/my%20photo%20%231\.jpg$/)
  const whole = await fetch(url)
  assert.deepEqual([whole.status, whole.headers.get('content-length'), await whole.text()], [200, '10', '0123456789'])
  const part = await fetch(url, { headers: { range: 'bytes=2-4', 'if-range': whole.headers.get('etag') ?? '' } })
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 2-4/10', '234'])
  const beyond = await fetch(url, { headers: { range: 'bytes=10-' } })
  assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */10'])
  const other = await fetch(url, { headers: { range: 'bytes=2-4', 'if-range': '"another"' } })
  assert.deepEqual([other.status, await other.text()], [200, '0123456789'])
  const head = await fetch(url, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', ''])
  assert.equal(await (await fetch(files.urlOf(empty))).text(), '')
})

test('serves nothing else: no other path, no file next to it, and no removed file', async () => {
  const url = files.urlOf(photo)
  for (const path of ['/', '/my%20photo%20%231.jpg', `${new URL(url).pathname}/../empty`, '/%2e%2e/etc/passwd']) {
    assert.equal((await fetch(`http://${files.host}${path}`)).status, 404, path)
  }
  assert.throws(() => files.urlOf(join(folder, 'other')), RangeError)
  await rm(empty)
  await assert.rejects(fetch(files.urlOf(empty)))
  assert.equal((await fetch(url)).status, 200)
})
