import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure } from '@mediamill/lab/support/failure'
import type { Pdfium } from './pdfium-instance.ts'
import { PdfiumPool } from './pdfium-pool.ts'

const MB = 1024 * 1024

const current = (pool: PdfiumPool) => pool.run((pdfium) => pdfium)

function useMemory(pdfium: Pdfium, megabytes: number): void {
  const blocks = Array.from({ length: megabytes }, () => pdfium.allocate(MB))
  for (const block of blocks) pdfium.free(block)
}

test('a document that needs more memory than the limit fails, and the next document gets a new PDFium instance', async () => {
  const pool = await PdfiumPool.start(40 * MB)
  const first = await current(pool)
  await assert.rejects(
    pool.run((pdfium) => useMemory(pdfium, 60)),
    failure(/40 MB/),
  )
  assert.ok(first.heap().length <= 48 * MB, `${first.heap().length} bytes`)
  const next = await current(pool)
  assert.notEqual(next, first)
  await pool.run((pdfium) => useMemory(pdfium, 10))
  assert.equal(await current(pool), next)
})

test('the PDFium pool replaces an instance only if it uses more than 128 MB after a job', async () => {
  const pool = await PdfiumPool.start()
  const first = await current(pool)
  await pool.run((pdfium) => useMemory(pdfium, 64))
  assert.equal(await current(pool), first)
  await pool.run((pdfium) => useMemory(pdfium, 140))
  const second = await current(pool)
  assert.notEqual(second, first)
  assert.ok(second.heap().length < 64 * MB, `${second.heap().length} bytes`)
})

test('after a failed job, the PDFium pool keeps using the same instance', async () => {
  const pool = await PdfiumPool.start()
  const first = await current(pool)
  const bug = new TypeError('a bug')
  await assert.rejects(
    pool.run(() => {
      throw bug
    }),
    bug,
  )
  assert.equal(await current(pool), first)
})
