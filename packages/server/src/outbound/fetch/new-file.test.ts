import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { NewFile } from './new-file.ts'

const folder = await sharedFolder('mediamill-')

/** Returns a chunk with its own memory, like a chunk from the network. */
const chunkOf = (text: string) => Buffer.from(new TextEncoder().encode(text).buffer)

test('memory of written chunks is freed, unless other data shares the memory', async () => {
  const path = join(folder, 'file')
  const file = new NewFile(path)
  const own = chunkOf('own ')
  const shared = Buffer.from('shared and more').subarray(0, 7)
  await file.write([own, shared])
  await file.write([chunkOf('end')])
  await file.finish()
  assert.equal(await readFile(path, 'utf8'), 'own shared end')
  assert.equal(own.length, 0)
  assert.equal(shared.toString(), 'shared ')
})

test('a download does not overwrite an existing file, and deletes its own file when it is discarded', async () => {
  const path = join(folder, 'taken')
  await new NewFile(path).finish()
  const second = new NewFile(path)
  await assert.rejects(second.write([chunkOf('other')]), { code: 'EEXIST' })
  await second.discard()
  assert.equal(await readFile(path, 'utf8'), '')
  const gone = new NewFile(join(folder, 'gone'))
  await gone.write([chunkOf('some')])
  await gone.discard()
  await assert.rejects(readFile(join(folder, 'gone')), { code: 'ENOENT' })
})
