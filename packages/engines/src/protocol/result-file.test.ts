import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import { describeResult, resultPath, writeResult } from './result-file.ts'

const root = mkdtempSync(join(tmpdir(), 'mediamill-result-'))
after(() => rmSync(root, { recursive: true }))

const jobOf = (maxResultBytes: number) => ({
  scratch: mkdtempSync(join(root, 'job-')),
  limits: { maxFramePixels: 1, maxSourcePixels: 1, maxResultBytes },
})

const isRejected = (words: string) => failure(`The result is ${words}. Make it smaller.`)

test('an engine writes every chunk of a result, and reports the size and checksum of the file [requests.files.1]', () => {
  // Linux accepts only 1,024 chunks per `writev` call, so the engine needs several calls.
  const parts = Array.from({ length: 3000 }, (_, index) => Buffer.from(`${index} `))
  const whole = Buffer.concat(parts)
  const job = jobOf(whole.length)
  const file = writeResult(job, 'pdf', { parts, fix: '' })
  assert.deepEqual(readFileSync(file.path), whole)
  const sha256 = createHash('sha256').update(whole).digest('hex')
  assert.deepEqual(file, { path: join(job.scratch, 'result.pdf'), format: 'pdf', size: whole.length, sha256 })
})

test('an engine accepts a result at the size limit, and rejects a larger result before writing a file [limits.media.1]', () => {
  const job = jobOf(3)
  const fix = 'Make it smaller.'
  assert.throws(
    () => writeResult(job, 'png', { parts: [Buffer.from('ab'), Buffer.from('cd')], fix }),
    isRejected('4 bytes large; the limit is 3 bytes'),
  )
  assert.equal(existsSync(resultPath(job, 'png')), false)
  assert.equal(writeResult(job, 'png', { parts: [Buffer.from('abc')], fix }).size, 3)
})

test('an engine never overwrites an existing file with a result', () => {
  const job = jobOf(100)
  writeFileSync(resultPath(job, 'png'), 'there')
  assert.throws(() => writeResult(job, 'png', { parts: [Buffer.from('abc')], fix: '' }), { code: 'EEXIST' })
})

test('an engine checks the size limit and reports the metadata of a result even if a library wrote the file [limits.media.1]', async () => {
  const job = jobOf(3)
  writeFileSync(resultPath(job, 'mp4'), 'abcd')
  await assert.rejects(describeResult(job, 'mp4', 'Make it smaller.'), isRejected('larger than 3 bytes, the limit'))
  writeFileSync(resultPath(job, 'mp4'), 'abc')
  const sha256 = createHash('sha256').update('abc').digest('hex')
  assert.deepEqual(await describeResult(job, 'mp4', ''), {
    path: resultPath(job, 'mp4'),
    format: 'mp4',
    size: 3,
    sha256,
  })
})
