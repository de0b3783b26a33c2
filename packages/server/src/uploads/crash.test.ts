import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linuxOnly, startCrashingDatabase } from '@mediamill/lab/support/crashing-database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import { listParts } from '../db/uploads/parts.ts'
import { openDiskStore } from '../store/disk.ts'
import { findSigned, findUpload } from './find.ts'
import { removeUpload } from './remove.ts'
import { UploadReceiver } from './upload-receiver.ts'

const database = shared(await startCrashingDatabase())
const { sql, andCrash } = database
const folder = await sharedFolder('mediamill-receiver-')
const store = await openDiskStore(folder)
using receiver = new UploadReceiver(sql, store, () => undefined)

const ALLOWANCE = { quotaBytes: 1_000_000 }
const ASKED = { size: 8, filename: null, origin: null }

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const owner = async () => ({ accountId: (await openAccount(sql)).id, livemode: true })

test(
  'an upload survives a crash of the database after the call that created it returned [uploads.create.4]',
  linuxOnly,
  async () => {
    const by = await owner()
    const upload = await andCrash(() => receiver.begin(by, ASKED, ALLOWANCE))
    assert.equal((await findSigned(sql, upload.id)).received, 0)
  },
)

test(
  'uploaded bytes survive a crash of the database after the call that sent them returned [uploads.create.4]',
  linuxOnly,
  async () => {
    const upload = await receiver.begin(await owner(), ASKED, ALLOWANCE)
    await andCrash(() => receiver.append(upload, 0, () => bytes('four')))
    assert.equal((await findSigned(sql, upload.id)).received, 4)
  },
)

test('after a crash of the database, an upload whose files were deleted does not reappear', linuxOnly, async () => {
  const by = await owner()
  const upload = await receiver.receiveWhole(by, { size: 4 }, ALLOWANCE, () => bytes('four'))
  const [part] = await listParts(sql, upload.id)
  await andCrash(() => removeUpload(sql, store, by, upload.id))
  assert.equal(await store.size(part?.key ?? ''), undefined)
  await assert.rejects(findUpload(sql, by, upload.id), { code: 'not_found' })
})
