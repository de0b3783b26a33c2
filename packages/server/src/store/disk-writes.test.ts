import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { writeNewFile } from './disk.ts'

const folder = await sharedFolder('write-file-')

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0, number = 0; at < bytes.length; number += 1) {
    const size = number % 7 === 0 ? 0 : (number * 7919) % (128 * 1024)
    yield Buffer.from(bytes.subarray(at, at + size))
    at += size
  }
}

async function* streamed(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield chunk
}

test('a file is written with all bytes in order, from large and small chunks', async () => {
  const bytes = randomBytes(40 * 1024 * 1024)
  const path = join(folder, 'whole')
  await writeNewFile(path, streamed(chunksOf(bytes)))
  assert.ok((await readFile(path)).equals(bytes))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await assert.rejects(writeNewFile(path, streamed([])), { code: 'EEXIST' })
})

test('if a body fails while a file is written, the error of the body is thrown after all pending writes have ended', async () => {
  const path = join(folder, 'broken')
  const body = async function* () {
    yield Buffer.alloc(3 * 1024 * 1024, 'x')
    throw new Error('broke off')
  }
  await assert.rejects(writeNewFile(path, body()), /broke off/)
  assert.equal((await stat(path)).size, 3 * 1024 * 1024)
})

test('a write fails if the disk becomes full during the write', () => {
  const script = `
    import { writeNewFile } from ${JSON.stringify(join(import.meta.dirname, 'disk.ts'))}
    async function* body() { for (let n = 0; n < 64; n += 1) yield Buffer.alloc(100_000, 'x') }
    await writeNewFile(process.argv[1], body()).catch((error) => console.log(error.code))`
  const path = join(folder, 'full')
  // The unit of the shell's limit is 512 bytes or 1 KiB. With both, the file ends in the middle of a batch.
  const run = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1501; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script, path],
    { encoding: 'utf8' },
  )
  assert.equal(run.stdout, 'EFBIG\n', run.stderr)
})
