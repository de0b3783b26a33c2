import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, renameSync } from 'node:fs'
import { link, mkdir, mkdtemp, readdir, rm, statfs, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openDiskStore } from './disk.ts'

const REQUEST = 4711 as RequestId

const root = await sharedFolder('store-test-')
const store = await openDiskStore(join(root, 'store'))

async function scratchFile(name: string, content: string | Buffer): Promise<string> {
  const path = join(root, name)
  await writeFile(path, content)
  return path
}
const read = async (key: string, range?: { start: number; end: number }) => {
  const file = await store.open(key, range)
  return file && (await buffer(file.body)).toString()
}
const filesOf = async () =>
  (await readdir(join(root, 'store'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

test('the disk store reads a stored file back, whole or by range, under a key that cannot be guessed', async () => {
  const path = await scratchFile('out.webp', 'hello, stored world')
  const key = await store.put(path, 'webp', REQUEST)
  assert.match(key, /^[0-9a-f]{40}\.webp$/)
  assert.equal(existsSync(path), false)
  assert.equal(await store.size(key), 19)
  assert.equal(await read(key), 'hello, stored world')
  assert.equal(await read(key, { start: 7, end: 12 }), 'stored')
  assert.equal(
    (
      await store
        .open(key, { start: 0, end: 0 })
        .then(async (file) => ({ ...file, body: file && (await buffer(file.body)) }))
    )?.size,
    19,
  )
  assert.notEqual(await store.put(await scratchFile('out.webp', 'hello, stored world'), 'webp', REQUEST), key)
})

test('the disk store returns undefined for a missing file, and deleting a missing file is not an error', async () => {
  const key = await store.put(await scratchFile('gone.png', 'x'), 'png', REQUEST)
  await store.delete(key)
  await store.delete(key)
  assert.equal(await store.size(key), undefined)
  assert.equal(await store.open(key), undefined)
})

test('the disk store rejects a key that no store could have created', async () => {
  for (const key of [
    '../../etc/passwd',
    '',
    'a',
    `${'a'.repeat(40)}.png/..`,
    `${'A'.repeat(40)}.png`,
    `${'a'.repeat(40)}\0.png`,
  ]) {
    await assert.rejects(() => store.open(key), RangeError)
    await assert.rejects(() => store.size(key), RangeError)
    await assert.rejects(() => store.delete(key), RangeError)
  }
})

test('the disk store rejects a link, a pipe, or a folder as a result file, because a link would publish its target', async () => {
  const secret = await scratchFile('secret', 'root:x:0:0')
  // Without its symbolic link, this file would be accepted, because it has only one name.
  await symlink(await scratchFile('single', 'x'), join(root, 'soft.png'))
  await link(secret, join(root, 'hard.png'))
  await mkdir(join(root, 'folder.png'))
  execFileSync('mkfifo', [join(root, 'pipe.png')])
  const stored = (await filesOf()).length
  for (const name of ['soft.png', 'hard.png', 'folder.png', 'pipe.png'])
    await assert.rejects(() => store.put(join(root, name), 'png', REQUEST))
  await assert.rejects(() => store.put(join(root, 'missing.png'), 'png', REQUEST), { code: 'ENOENT' })
  assert.equal((await filesOf()).length, stored)
})

test('the disk store does not follow a symbolic link inside the store', async () => {
  const key = await store.put(await scratchFile('linked.png', 'x'), 'png', REQUEST)
  const path = join(root, 'store', key.slice(0, 1), key.slice(1, 2), key)
  await rm(path)
  await symlink(await scratchFile('elsewhere', 'root:x:0:0'), path)
  await assert.rejects(store.size(key), { code: 'ELOOP' })
  await assert.rejects(store.open(key), { code: 'ELOOP' })
  await store.delete(key)
})

test('the disk store rejects a result file that is replaced by another file while it is being stored', async () => {
  const path = await scratchFile('raced.png', 'judged')
  const other = await scratchFile('other.png', 'never judged')
  const stored = (await filesOf()).length
  const storing = store.put(path, 'png', REQUEST)
  // `put` has opened the result and is syncing its bytes, but has not moved the file to the store yet.
  renameSync(other, path)
  await assert.rejects(storing, /replaced while it was stored/)
  assert.equal((await filesOf()).length, stored)
})

test('the disk store copies a result from another file system, and never shows it incomplete', async (t) => {
  const other = await mkdtemp('/dev/shm/store-test-').catch(() => undefined)
  if (other === undefined || (await statfs(other)).type === (await statfs(root)).type)
    return t.skip('there is no second file system')
  t.after(() => rm(other, { recursive: true }))
  const path = join(other, 'out.gif')
  await writeFile(path, Buffer.alloc(3_000_000, 'copied '))
  const key = await store.put(path, 'gif', REQUEST)
  assert.equal(await store.size(key), 3_000_000)
  assert.equal(existsSync(path), false)
  assert.deepEqual(await readdir(join(root, 'store', 'incoming')), [])
})

test('the disk store deletes old incomplete uploads, and lists orphans by age', async () => {
  const old = new Date(Date.now() - 3_600_000)
  const leftover = join(root, 'store', 'incoming', `${'0'.repeat(40)}.png`)
  await writeFile(leftover, 'half')
  assert.equal(await store.sweep(old), 0)
  await utimes(leftover, new Date(0), new Date(0))
  assert.equal(await store.sweep(old), 1)

  const key = await store.put(await scratchFile('orphan.png', 'x'), 'png', REQUEST)
  assert.deepEqual(await Array.fromAsync(store.keys(old)), [])
  assert.ok((await Array.fromAsync(store.keys(new Date(Date.now() + 60_000)))).includes(key))
})
