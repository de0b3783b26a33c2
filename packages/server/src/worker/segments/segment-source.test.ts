import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { SparseFile } from '../../outbound/fetch/source-file.ts'
import { parseAllowedHosts } from '../../outbound/guard/allowed-hosts.ts'
import { KeptConnections } from '../../outbound/kept-connections.ts'
import { createLog } from '../../telemetry/log.ts'
import type { WorkerContext } from '../job-context.ts'
import { fetchRest, openSegmentSource, stateOf } from './segment-source.ts'

function sparse(size: number, presentBytes: number, version?: SparseFile['version']) {
  const asked: [number, number][] = []
  const file: SparseFile = {
    size,
    head: Buffer.alloc(0),
    presentBytes,
    ...(version !== undefined && { version }),
    async fetch(offset, length) {
      await new Promise((resolve) => setImmediate(resolve))
      asked.push([offset, length])
    },
    [Symbol.asyncDispose]: async () => {},
  }
  return { file, asked }
}

const MEGABYTES = 1024 * 1024

test('segments can read a source only if the source is in the store, or if its server supports ranges and reports a version', () => {
  const state = (version?: SparseFile['version']) => stateOf(sparse(10, 10, version).file, undefined)
  assert.deepEqual(state({ total: 10, validator: '"1"' }), { kind: 'url', total: 10, validator: '"1"' })
  assert.equal(state({ total: 10, validator: undefined }), undefined, 'ranges of two states could not be distinguished')
  assert.equal(state(), undefined, 'its server does not support ranges')
  const files = [
    { key: 'a', size: 4 },
    { key: 'b', size: 6 },
  ]
  assert.deepEqual(stateOf(sparse(10, 10).file, files), { kind: 'stored', files })
})

test('a worker fetches the missing bytes of a source only once, in ranges of limited size', async () => {
  const { file, asked } = sparse(21 * MEGABYTES, 2 * MEGABYTES)
  await fetchRest(file, new AbortController().signal)
  assert.deepEqual(asked, [
    [2 * MEGABYTES, 8 * MEGABYTES],
    [10 * MEGABYTES, 8 * MEGABYTES],
    [18 * MEGABYTES, 3 * MEGABYTES],
  ])
  const whole = sparse(10, 10)
  await fetchRest(whole.file, new AbortController().signal)
  assert.deepEqual(whole.asked, [])
  await assert.rejects(fetchRest(file, AbortSignal.abort(new Error('stopped'))), /stopped/)
})

test('a worker fetches all ranges of a segment over one connection', async () => {
  const total = 4 * MEGABYTES
  const server = createServer((call, response) => {
    const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(call.headers.range ?? '') ?? []
    const [start, end] = [Number(from), Math.min(total - 1, Number(to))]
    response.writeHead(206, { etag: '"1"', 'content-range': `bytes ${start}-${end}/${total}` })
    response.end(Buffer.alloc(end - start + 1))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let accepted = 0
  server.on('connection', () => {
    accepted += 1
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-part-source-'))
  using connections = new KeptConnections()
  const store = {} as WorkerContext['store']
  const network = { allowedHosts: parseAllowedHosts(host) }
  const opening = { url: `http://${host}/`, accountId: 1, folder, maxSourceBytes: total, meter: { bytes: 0 } }
  const worker = { store, network, connections, log: createLog('silent', 'test') }
  const state = { kind: 'url', total, validator: '"1"' }
  {
    const { signal } = new AbortController()
    await using source = await openSegmentSource(worker, state, { ...opening, signal })
    for (const offset of [MEGABYTES, 2 * MEGABYTES, 3 * MEGABYTES]) await source.fetch(offset, MEGABYTES)
  }
  assert.deepEqual([accepted, opening.meter.bytes], [1, total])
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})
