import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { NewFile } from './new-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-'))
after(() => rm(folder, { recursive: true }))

/** A chunk that has its memory to itself, as those have that come from the network. */
const chunkOf = (text: string) => Buffer.from(new TextEncoder().encode(text).buffer)

for (const [how, isLast] of [
  ['in one batch', true],
  ['in several batches', false],
] as const) {
  test(`chunks of a file that is written ${how} are freed, and bytes that others share stay`, async () => {
    const path = join(folder, how)
    const file = new NewFile(path)
    const own = chunkOf('own ')
    const shared = Buffer.from('shared and more').subarray(0, 7)
    await file.write([own, shared], isLast)
    if (!isLast) await file.write([chunkOf('end')], true)
    await file.finish()
    assert.equal(await readFile(path, 'utf8'), isLast ? 'own shared ' : 'own shared end')
    assert.equal(own.length, 0)
    assert.equal(shared.toString(), 'shared ')
  })
}
