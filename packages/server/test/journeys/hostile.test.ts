import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hostileFiles } from '@mediamill/lab/hostile/corpus'
import { damagedImages } from '@mediamill/lab/hostile/damaged-images'
import { disguises } from '@mediamill/lab/hostile/disguises'
import type { Ended } from '@mediamill/lab/hostile/send-hostile'
import { sendHostile } from '@mediamill/lab/hostile/send-hostile'
import { validImages } from '@mediamill/lab/hostile/valid-files'
import { commandOf, descendants } from '@mediamill/lab/support/processes'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'

const files = await hostileFiles()
const valid = await validImages()
const server = await sharedSourceServer({ '/neighbor.png': valid.PNG })
const service = await sharedService({ allowed: [server.host] })

function assertSpeaksPlainly({ ending, message }: Ended): void {
  if (ending === 'succeeded') return
  assert.match(message, /^[A-Z].*\.$/s)
  assert.doesNotMatch(message, /vips|sharp|libav|ffmpeg|pdfium|\/tmp|node_modules|undefined|NaN|\bError\b| at \w+ \(/i)
  assert.ok(
    !message.includes(service.dataDir) && !message.includes(fileURLToPath(new URL('../../../..', import.meta.url))),
  )
}

describe('hostile source files', { concurrency: 3 }, () => {
  for (const file of files) {
    const title = `${file.name} ends a read with ${file.read} and processing with ${file.process}; a parallel job succeeds [errors.failures.1]`
    test(title, async () => {
      const body = { source: server.url('/neighbor.png'), operations: [{ type: 'grayscale' }] }
      const [{ read, made }, neighbor] = await Promise.all([
        sendHostile(service, server, file),
        service.finish('/v1/images/process', body),
      ])
      assert.equal(neighbor.status, 'succeeded')
      assert.deepEqual([read.ending, made.ending], [file.read, file.process], `${read.message} / ${made.message}`)
      assert.deepEqual(
        Object.fromEntries(Object.keys(file.metadata ?? {}).map((field) => [field, read.data?.[field]])),
        {
          ...file.metadata,
        },
      )
      assertSpeaksPlainly(read)
      assertSpeaksPlainly(made)
      assert.ok(file.payload === undefined || made.result?.includes(file.payload) === false)
    })
  }
})

const enginePids = async () =>
  (await descendants()).filter((pid) => /engines\/(?:src\/)?\w+\/main\.[jt]s/.test(commandOf(pid)))

test('an engine that has rejected damaged and disguised files processes the next files', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux says whose child a process is')
  await service.finish('/v1/images/read', { source: server.url('/neighbor.png') })
  const before = await enginePids()
  assert.ok(before.length > 0)
  const rejected = [...(await damagedImages()), ...(await disguises())].filter(({ media }) => media === 'image')
  await Promise.all(rejected.slice(0, 40).map((file) => sendHostile(service, server, file)))
  // Earlier tests ended some engines, so new engines may have started during this test.
  const now = new Set(await enginePids())
  assert.deepEqual(
    before.filter((pid) => !now.has(pid)),
    [],
  )
})

test('a decompression bomb as a watermark image fails the request with the index of its operation [limits.media.1, errors.failures.2]', async () => {
  for (const [name, code] of [
    ['header-65535.png', 'processing_failed'],
    ['frame-65535.gif', 'processing_failed'],
    ['svg-with-file.png', 'unsupported_media'],
    ['header-65535.bmp', 'unsupported_media'],
  ] as const) {
    server.files.set('/mark', files.find((file) => file.name === name)?.bytes ?? assert.fail(name))
    const watermark = { type: 'watermark', image_url: server.url('/mark'), x: 0, y: 0 }
    const operations = [{ type: 'grayscale' }, watermark]
    const { error } = await service.finish('/v1/images/process', { source: server.url('/neighbor.png'), operations })
    assert.deepEqual([error.code, error.operation], [code, 1], name)
  }
})

test('the scratch folder of the worker is empty after all hostile files', async () => {
  const scratch = join(service.dataDir, 'scratch')
  const left = await readdir(scratch, { recursive: true, withFileTypes: true })
  assert.deepEqual(
    left.filter((entry) => !entry.isDirectory() || entry.parentPath.endsWith('/jobs')).map(({ name }) => name),
    [],
  )
})
