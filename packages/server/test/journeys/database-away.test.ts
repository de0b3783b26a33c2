import assert from 'node:assert/strict'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { quarters } from '@mediamill/lab/support/images'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import { sharedService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { isStoredFile } from '@mediamill/lab/support/stored-files'

const photo = await quarters(40, 30)
const sources = await sharedSourceServer({ '/photo.png': photo })
const service = await sharedService({ allowed: [sources.host], workers: false })
const database = shared(await openCuttableDatabase(service.databaseUrl))

const settings = {
  DATABASE_URL: database.url,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: sources.host,
}
const operations = [{ type: 'grayscale' }]
const results = join(service.dataDir, 'results')
const scratch = join(service.dataDir, 'scratch')

async function storedFiles(): Promise<string[]> {
  const entries = await readdir(results, { recursive: true, withFileTypes: true })
  return entries.filter(isStoredFile).map((entry) => entry.name)
}

test('if a job ends during a database outage, its outcome is kept until the database is back, and the request is charged once [requests.states.3]', {
  timeout: 60_000,
}, async () => {
  const hanging = new Promise<ServerResponse>((resolve) => {
    sources.files.set('/hang.png', (_call, response) => {
      response.writeHead(200, { 'content-length': String(photo.length) })
      response.write(photo.subarray(0, 20))
      resolve(response)
    })
  })
  const body = { source: sources.url('/hang.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  await using worker = await startRole('worker', settings)
  const response = await hanging
  await database.cut()
  response.end(photo.subarray(20))
  while ((await storedFiles()).length === 0);
  await database.mend()
  const request = await service.settled(accepted.body.id)
  assert.equal(request.status, 'succeeded')
  const [row] = await service.sql`select attempt from requests where id = ${request.id}`
  assert.equal(row?.['attempt'], 1, 'the finished work was not done again')
  const charges = await service.sql`select amount from ledger where request_id = ${request.id}`
  assert.deepEqual(
    charges.map((charge) => charge['amount']),
    [-2000],
  )
  assert.equal((await service.call('GET', request.result.files[0].url)).status, 302)
  assert.equal(await worker.stop(), 0)
})

test('a worker retries a request after an internal error of the service', {
  timeout: 60_000,
}, async () => {
  await using worker = await startRole('worker', settings)
  // A file at the path of the scratch folder prevents the worker from creating job folders.
  await rename(scratch, `${scratch}.away`)
  await writeFile(scratch, '')
  const body = { source: sources.url('/photo.png'), operations }
  const accepted = await service.call('POST', '/v1/images/process', { body })
  const id: number = accepted.body.id
  const attempts = async () =>
    Number((await service.sql`select attempt from requests where id = ${id}`)[0]?.['attempt'])
  while ((await attempts()) < 2);
  const request = await service.settled(id)
  assert.equal(request.status, 'failed')
  assert.equal(request.error.code, 'processing_failed')
  assert.equal(await attempts(), 3)
  assert.equal(request.price.micro_usd, 0)
  await rm(scratch)
  await rename(`${scratch}.away`, scratch)
  assert.equal(await worker.stop(), 0)
})
