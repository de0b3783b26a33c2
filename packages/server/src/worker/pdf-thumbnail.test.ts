import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { EngineHost } from '../supervisor/engine-host.ts'
import { withPdfThumbnail } from './pdf-thumbnail.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-pdf-thumbnail-'))
after(() => rm(folder, { recursive: true }))

/** Asks for the thumbnail of a PDF, for which the engine says `thumbnail`; a text is written there before. */
async function ask(name: string, text?: string) {
  const [pdf, drawn] = [join(folder, 'a.pdf'), join(folder, name)]
  await writeFile(pdf, 'a document')
  if (text !== undefined) await writeFile(drawn, text)
  const told: string[] = []
  const scratch = { jobFolder: () => ({ path: folder, [Symbol.asyncDispose]: async () => undefined }) }
  const log = { info: (_: object, line: string) => void told.push(line) }
  const engine = { run: async () => ({ thumbnail: { path: drawn, size: 5 } }) } as unknown as EngineHost
  const done = { files: [{ path: pdf, format: 'pdf', size: 10 }] } as unknown as EngineDone
  const job = { scratch: folder } as EngineJob
  const context = { thumbnails: 'all', scratch, log } as unknown as Parameters<typeof withPdfThumbnail>[0]
  const { signal } = new AbortController()
  return { done, told, found: await withPdfThumbnail(context, engine, { job, done, signal }) }
}

test('a thumbnail is moved beside the result before the result is handed on with it', async () => {
  const { done, found, told } = await ask('drawn.webp', 'a page')
  const kept = join(folder, 'thumbnail.webp')
  assert.deepEqual(found, { ...done, thumbnail: { path: kept, size: 5 } })
  assert.equal(await readFile(kept, 'utf8'), 'a page')
  assert.deepEqual(told, [])
})

test('a result whose thumbnail an engine says is there, and is not, goes on without one, which is told', async () => {
  const { done, found, told } = await ask('missing.webp')
  assert.equal(found, done)
  assert.equal(told.length, 1)
})
