import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { seeds, sendMutants } from '@mediamill/lab/hostile/send-mutants'
import { validImages } from '@mediamill/lab/hostile/valid-files'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { listAll } from '@mediamill/lab/support/stored-files'

test('every seed file is processed before it is mutated, so a mutated file fails only because of its mutation', async () => {
  await using server = await startSourceServer()
  await using service = await startService({ allowed: [server.host] })
  for (const { name, media, bytes } of await seeds(MEDIA_TYPES)) {
    server.files.set('/seed', bytes)
    const { status, error } = await service.finish(`/v1/${media}s/read`, { source: server.url('/seed') })
    assert.equal(status, 'succeeded', `${name}: ${error?.message}`)
  }
})

test('processing mutated files of every format ends with a documented code and leaves no files behind [errors.failures.1]', async () => {
  const { PNG } = await validImages()
  await using server = await startSourceServer({ '/mark.png': PNG })
  await using service = await startService({ allowed: [server.host] })
  const counts = await sendMutants(service, server, { seeds: await seeds(MEDIA_TYPES), first: 0, count: 153, lines: 4 })
  assert.ok((counts['image succeeded'] ?? 0) > 5 && (counts['image processing_failed'] ?? 0) > 5)
  const { body } = await service.call('GET', '/v1/requests?limit=100')
  assert.ok(body.data.every((request: { status: string }) => ['succeeded', 'failed'].includes(request.status)))
  const left = await listAll(join(service.dataDir, 'scratch'))
  const names = left
    .filter((entry) => !entry.isDirectory() || entry.parentPath.endsWith('/jobs'))
    .map(({ name }) => name)
  assert.deepEqual(names, [])
})
