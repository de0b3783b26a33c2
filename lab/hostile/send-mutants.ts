import assert from 'node:assert/strict'
import type { MediaType } from '@mediamill/contract/domain/media'
import type { Random } from '../support/random.ts'
import { createRandom } from '../support/random.ts'
import type { Json, Service } from '../support/service.ts'
import type { SourceServer } from '../support/source-server.ts'
import type { Seed } from './mutants.ts'
import { mutate } from './mutants.ts'
import { validDocument } from './valid-documents.ts'
import { validImages } from './valid-files.ts'
import { validVideos } from './valid-videos.ts'

/** The allowed outcomes for a file that the service has downloaded (errors.failures.1). */
const ENDINGS: ReadonlySet<string> = new Set([
  'succeeded',
  'processing_failed',
  'unsupported_media',
  'encrypted_document',
])

export async function seeds(media: readonly MediaType[]): Promise<Seed[]> {
  const named = (medium: MediaType, files: Record<string, Buffer>) =>
    Object.entries(files).map(([name, bytes]): Seed => ({ name, media: medium, bytes }))
  return [
    ...(media.includes('image') ? named('image', await validImages()) : []),
    ...(media.includes('video') ? named('video', await validVideos()) : []),
    ...(media.includes('document') ? named('document', { PDF: validDocument() }) : []),
  ]
}

export type MutantEnd = {
  id: number
  seed: string
  number: number
  path: string
  ending: string
  message: string
  milliseconds: number
}

/**
 * Processes `lines` mutated files at the same time, and asserts that each request ends with an allowed outcome. The
 * same `number` always makes the same file. Watermark operations use the image `/mark.png` of `server`.
 */
export async function sendMutants(
  service: Service,
  server: SourceServer,
  options: {
    seeds: readonly Seed[]
    first: number
    count: number
    lines: number
    onEnd?: (end: MutantEnd, bytes: Buffer) => void
  },
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let next = options.first
  const work = async () => {
    for (let number = next++; number < options.first + options.count; number = next++) {
      const seed = options.seeds[number % options.seeds.length]
      if (seed === undefined) return
      const { end, bytes } = await putMutant(service, server, seed, number)
      options.onEnd?.(end, bytes)
      const outcome = `${seed.media} ${end.ending}`
      counts[outcome] = (counts[outcome] ?? 0) + 1
      assert.ok(
        ENDINGS.has(end.ending),
        `mutant ${number} of ${seed.name} at ${end.path} ended ${end.ending}: ${end.message}`,
      )
    }
  }
  await Promise.all(Array.from({ length: options.lines }, work))
  return counts
}

async function putMutant(service: Service, server: SourceServer, seed: Seed, number: number) {
  const random = createRandom(number)
  const bytes = mutate(seed.bytes, random)
  const source = `/mutant-${number}`
  server.files.set(source, bytes)
  const [path, body] = requestFor(seed.media, random, server.url('/mark.png'))
  const startedAt = performance.now()
  const { id, status, error } = await service.finish(path, { source: server.url(source), ...body })
  server.files.delete(source)
  const milliseconds = Math.round(performance.now() - startedAt)
  const end: MutantEnd = {
    id,
    seed: seed.name,
    number,
    path,
    ending: error?.code ?? status,
    message: error?.message ?? '',
    milliseconds,
  }
  return { end, bytes }
}

function requestFor(media: MediaType, random: Random, mark: string): [path: string, body: Json] {
  const flip = [{ type: 'flip', vertical: true }]
  const turn = [
    { type: 'resize', width: 40, height: 40 },
    { type: 'rotate', degrees: 30 },
  ]
  switch (media) {
    case 'image':
      return random.pick<[string, Json]>([
        ['/v1/images/read', {}],
        ['/v1/images/process', { operations: turn, output: { format: 'webp' } }],
        ['/v1/images/process', { operations: flip, output: { format: 'gif' } }],
      ])
    case 'video':
      return random.pick<[string, Json]>([
        ['/v1/videos/read', {}],
        ['/v1/videos/screenshot', { seconds: 0 }],
        ['/v1/videos/process', { operations: flip, max_duration: 1 }],
      ])
    case 'document':
      return random.pick<[string, Json]>([
        ['/v1/documents/read', {}],
        ['/v1/documents/snapshot', { page: 2 }],
        ['/v1/documents/process', { max_pages: 1, operations: [{ type: 'watermark', image_url: mark, x: 5, y: 5 }] }],
      ])
  }
}
