import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeNewFile } from './write-file.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-file-'))
})
after(() => rm(folder, { recursive: true }))

/** Chunks of their own, of all sizes up to 128 KiB and some of nothing: 40 MB in all. */
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

test('a file has all bytes in order, in however many and small chunks they came', async () => {
  const bytes = randomBytes(40 * 1024 * 1024)
  const path = join(folder, 'whole')
  await writeNewFile(path, streamed(chunksOf(bytes)))
  assert.ok((await readFile(path)).equals(bytes))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  await assert.rejects(writeNewFile(path, streamed([])), { code: 'EEXIST' })
})

test('memory of chunks is given back when they are written, and that of others is left alone', async () => {
  const own = Buffer.from(new ArrayBuffer(600 * 1024))
  const shared = Buffer.from(new ArrayBuffer(64 * 1024)).subarray(0, 1000)
  await writeNewFile(join(folder, 'freed'), streamed([own, shared]))
  assert.equal(own.length, 0)
  assert.equal(shared.length, 1000)
})

test('an error of the body is thrown on once nothing is written any more', async () => {
  const path = join(folder, 'broken')
  const body = async function* () {
    yield Buffer.alloc(3 * 1024 * 1024, 'x')
    throw new Error('broke off')
  }
  await assert.rejects(writeNewFile(path, body()), /broke off/)
  assert.equal((await stat(path)).size, 3 * 1024 * 1024)
})

test('a disk that takes a part of the bytes and then no more ends the write with its error', () => {
  const script = `
    import { writeNewFile } from ${JSON.stringify(join(import.meta.dirname, 'write-file.ts'))}
    async function* body() { for (let n = 0; n < 64; n += 1) yield Buffer.alloc(100_000, 'x') }
    await writeNewFile(process.argv[1], body()).catch((error) => console.log(error.code))`
  const path = join(folder, 'full')
  // In blocks of 512 bytes or 1 KiB, as the shell has it: both end in the middle of a batch.
  const run = spawnSync(
    'sh',
    ['-c', 'ulimit -f 1501; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script, path],
    { encoding: 'utf8' },
  )
  assert.equal(run.stdout, 'EFBIG\n', run.stderr)
})
