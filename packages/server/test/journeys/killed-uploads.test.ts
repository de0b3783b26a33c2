import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { freePort, until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import type { S3Server } from '@mediamill/lab/support/s3-server'
import { startS3rver, startSwift, useCredentials, whyNoSwift } from '@mediamill/lab/support/s3-server'
import { startService } from '@mediamill/lab/support/service'
import { isMarker, isStoredFile } from '@mediamill/lab/support/stored-files'
import { openDiskStore } from '../../src/store/disk.ts'
import { openS3Store } from '../../src/store/s3.ts'
import type { Store } from '../../src/store/store.ts'
import { deleteDueUploads, sweepChunks } from '../../src/uploads/remove.ts'

const MIB = 1024 * 1024

/** The number of bytes sent: more than one part of a multipart upload, and less than announced. */
const SENT_BYTES = 7 * MIB
const ANNOUNCED_BYTES = 20 * MIB

type TestStore = { settings: Record<string, string>; store: Store; list: () => Promise<string[]> }

function sendPart(url: string, method: string, headers: Record<string, string | number>) {
  const call = httpRequest(url, { method, agent: false, headers: { ...headers, 'content-length': ANNOUNCED_BYTES } })
  call.on('error', () => {})
  call.write(Buffer.alloc(SENT_BYTES, 'x'))
  return call
}

const PATCH = {
  'tus-resumable': '1.0.0',
  'upload-offset': '0',
  'content-type': 'application/offset+octet-stream',
}

/** Kills an API server during two uploads. `comesUp` checks the new files in the store before the cleanup. */
async function killInTheMiddle(
  openTestStore: (service: { dataDir: string }) => Promise<TestStore>,
  comesUp: (left: string[]) => boolean,
): Promise<void> {
  await using service = await startService({ workers: false })
  const { sql, call: ask, account } = service
  const { settings, store, list } = await openTestStore(service)
  const port = await freePort()
  const role = { PORT: String(port), DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir }
  const url = `http://127.0.0.1:${port}`
  await using api = await startRole('api', { ...role, ...settings })
  const before = await list()
  const { body: signed } = await ask('POST', '/v1/uploads', { body: { size: ANNOUNCED_BYTES } })
  const raw = sendPart(`${url}/v1/uploads`, 'POST', { authorization: `Bearer ${account.liveKey}` })
  const patch = sendPart(signed.upload_url.replace(service.url, url), 'PATCH', PATCH)
  const parts = async () => (await sql`select from upload_parts where size is null`).length
  await until(async () => (await parts()) === 2 && comesUp((await list()).filter((name) => !before.includes(name))))
  await api.kill()
  raw.destroy()
  patch.destroy()
  assert.equal(await parts(), 2)
  // Until the lease ends, the cleanup deletes nothing, because the process may still be alive.
  await sweepChunks(sql, store)
  assert.equal(await deleteDueUploads(sql, store), 0)
  assert.equal(await parts(), 2)
  await sql`update uploads set sweep_at = now() where not signed and status = 'waiting'`
  await sql`update upload_parts set lease_until = now() - interval '2 minutes' where size is null`
  await sweepChunks(sql, store)
  assert.equal(await deleteDueUploads(sql, store), 1)
  assert.equal(await parts(), 0)
  assert.deepEqual(await list(), before)
  const [room] = await sql<{ bytes: number }[]>`select bytes from upload_room where account_id = ${account.id}`
  assert.equal(room?.bytes, ANNOUNCED_BYTES, 'the signed one keeps its room: it goes on')
  await using next = await startRole('api', { ...role, ...settings })
  const put = await fetch(signed.upload_url.replace(service.url, url), {
    method: 'PUT',
    body: new Uint8Array(ANNOUNCED_BYTES),
  })
  assert.equal(put.status, 200)
  await next.kill()
}

async function openBucket(server: S3Server, { listsParts }: { listsParts: boolean }): Promise<TestStore> {
  useCredentials(server)
  const { endpoint, bucket: Bucket, keyId, secret, storageUrl, client } = server
  return {
    settings: { STORAGE_URL: storageUrl, AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: secret },
    store: await openS3Store({ bucket: Bucket, prefix: 'some/where', endpoint, region: undefined }),
    async list() {
      const files = await client.send(new ListObjectsV2Command({ Bucket }))
      const open = listsParts ? await client.send(new ListMultipartUploadsCommand({ Bucket })) : undefined
      return [...(files.Contents ?? []), ...(open?.Uploads ?? [])]
        .map(({ Key = '' }) => Key)
        .filter((key) => !isMarker(key))
        .toSorted()
    },
  }
}

test("if an API process is killed during uploads, cleanup leaves no files in the store's folder [uploads.delete.4]", async () => {
  const openFolder = async ({ dataDir }: { dataDir: string }): Promise<TestStore> => {
    const folder = join(dataDir, 'results')
    const list = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter(isStoredFile)
        .map(({ name }) => name)
        .toSorted()
    return { settings: {}, store: await openDiskStore(folder), list }
  }
  await killInTheMiddle(openFolder, (left) => left.length === 2)
})

test('if an API process is killed during uploads, cleanup leaves no file and no unfinished multipart upload in a bucket [uploads.delete.4]', {
  skip: whyNoSwift(),
}, async () => {
  await using server = await startSwift()
  await killInTheMiddle(
    () => openBucket(server, { listsParts: true }),
    (left) => left.length === 2,
  )
})

test('if an API process is killed during uploads, cleanup leaves no file in a bucket that cannot list unfinished uploads [uploads.delete.4]', async () => {
  await using server = await startS3rver()
  await killInTheMiddle(
    () => openBucket(server, { listsParts: false }),
    () => true,
  )
})

test('cleanup removes an unfinished chunk of a killed process, even if another process has completed the upload since then [uploads.delete.4]', async () => {
  await using service = await startService({ workers: false })
  const { sql, call: ask } = service
  const store = await openDiskStore(join(service.dataDir, 'results'))
  const port = await freePort()
  const role = { PORT: String(port), DATABASE_URL: service.databaseUrl, SECRET_KEY, DATA_DIR: service.dataDir }
  await using api = await startRole('api', role)
  const { body: signed } = await ask('POST', '/v1/uploads', { body: { size: ANNOUNCED_BYTES } })
  const patch = sendPart(signed.upload_url.replace(service.url, `http://127.0.0.1:${port}`), 'PATCH', PATCH)
  const incoming = () => readdir(join(service.dataDir, 'results', 'incoming'))
  await until(async () => (await incoming()).length === 1)
  await api.kill()
  patch.destroy()
  const put = await fetch(signed.upload_url, { method: 'PUT', body: new Uint8Array(ANNOUNCED_BYTES) })
  assert.equal(put.status, 200)
  await sql`update upload_parts set lease_until = now() - interval '2 minutes' where size is null`
  await sweepChunks(sql, store)
  assert.equal(await deleteDueUploads(sql, store), 0)
  assert.deepEqual(await incoming(), [])
  assert.equal((await sql`select from upload_parts where upload_id = ${signed.id}`).length, 1)
})
