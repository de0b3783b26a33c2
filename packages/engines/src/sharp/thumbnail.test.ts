import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MAX_THUMBNAIL_BYTES } from '@mediamill/contract/domain/drawn/thumbnail'
import sharp from 'sharp'
import { writeThumbnail } from '../protocol/result-file.ts'
import { makeThumbnail } from './thumbnail.ts'

const size = { width: 300, height: 200 }
const plain = () => sharp({ create: { ...size, channels: 3, background: '#3a7' } })

test('a thumbnail that cannot be drawn, written, or is too large is none, and nobody hears an error', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'mediamill-thumbnail-'))
  try {
    assert.deepEqual(await makeThumbnail({ scratch }, sharp(Buffer.from('no picture')), size), {})
    assert.deepEqual(await makeThumbnail({ scratch: join(scratch, 'gone') }, plain(), size), {})
    assert.deepEqual(writeThumbnail({ scratch }, Buffer.alloc(MAX_THUMBNAIL_BYTES + 1)), {})
    const { thumbnail } = await makeThumbnail({ scratch }, plain(), size)
    assert.equal(thumbnail?.path, join(scratch, 'thumbnail.webp'))
    assert.deepEqual(await makeThumbnail({ scratch }, plain(), size), {}, 'one that is there already')
  } finally {
    await rm(scratch, { recursive: true })
  }
})

test('the noisiest thumbnail with alpha fits into its bounds', async () => {
  let seed = 1
  const noise = Buffer.alloc(256 * 256 * 4)
  for (let at = 0; at < noise.length; at += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    noise[at] = seed >>> 24
  }
  const scratch = await mkdtemp(join(tmpdir(), 'mediamill-thumbnail-'))
  try {
    const image = sharp(noise, { raw: { width: 256, height: 256, channels: 4 } })
    const { thumbnail } = await makeThumbnail({ scratch }, image, { width: 256, height: 256 })
    assert.ok(thumbnail !== undefined && thumbnail.size > 50_000, String(thumbnail?.size))
  } finally {
    await rm(scratch, { recursive: true })
  }
})
