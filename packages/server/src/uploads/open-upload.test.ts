import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { newUploadId } from '@mediamill/contract/domain/uploads'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { appendPart, completeUpload, insertPart } from '../db/uploads/parts.ts'
import { insertUpload } from '../db/uploads/uploads.ts'
import { openUpload } from './open-upload.ts'

const { sql } = await sharedDatabase()

test('an upload can be read only by its owner, and its parts are joined in order [uploads.object.2]', async () => {
  const { id: accountId } = await openAccount(sql)
  const [owner, id] = [{ accountId, livemode: true }, newUploadId()]
  const [quotaBytes, lifeMs, leaseMs] = [1_000_000, 60_000, 60_000]
  await insertUpload(sql, {
    ...owner,
    id,
    size: 6,
    filename: null,
    origin: null,
    quotaBytes,
    lifeMs,
  })
  const parts = ['one', 'to', '3']
  let start = 0
  for (const text of parts) {
    const [key, size] = [`${id}-${text}`, text.length]
    const part = { ...owner, key, uploadId: id, start, leaseMs, atOnce: 9, maxParts: 9 }
    await sql.begin(async (tx) => await insertPart(tx, part))
    assert.ok(await appendPart(sql, { key, uploadId: id, start, size }))
    start += size
  }
  const texts = new Map(parts.map((text) => [`${id}-${text}`, text]))
  const store = {
    async open(key: string) {
      const text = texts.get(key)
      return text === undefined ? undefined : { size: text.length, body: Readable.from([Buffer.from(text)]) }
    },
  }
  assert.equal(await openUpload(sql, store, owner, id), undefined, 'it is not complete')
  await completeUpload(sql, { id, sha256: 'ab'.repeat(32), format: 'JPEG' })
  const { contentType, size, body } = (await openUpload(sql, store, owner, id)) ?? assert.fail()
  assert.deepEqual(
    [contentType, size, Buffer.concat(await Array.fromAsync(body)).toString()],
    ['image/jpeg', 6, 'oneto3'],
  )
  for (const [other, of] of [
    [{ accountId: accountId + 1, livemode: true }, id],
    [{ accountId, livemode: false }, id],
    [owner, newUploadId()],
    [owner, 'upl_x'],
    // PostgreSQL rejects a text with NUL, so the function must not send a query.
    [owner, 'upl_\0'],
  ] as const)
    assert.equal(await openUpload(sql, store, other, of), undefined)
  texts.set(`${id}-to`, 't')
  const short = (await openUpload(sql, store, owner, id)) ?? assert.fail()
  await assert.rejects(Array.fromAsync(short.body), /another size/)
  texts.delete(`${id}-to`)
  const broken = (await openUpload(sql, store, owner, id)) ?? assert.fail()
  await assert.rejects(Array.fromAsync(broken.body), /not in the store/)
})
