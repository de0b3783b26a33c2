import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metadataText } from './metadata-text.ts'

test('prints metadata for people, without JSON [operator.commands.1]', () => {
  const metadata = { size: 164_045, page_size: { width: 595.28, height: 841.89, unit: 'pt' }, encrypted: false }
  const texts = Object.entries({ ...metadata, audio_codec: null, codec: 'h264', frame_rate: 29.97 })
  assert.deepEqual(
    texts.map(([name, value]) => metadataText(name, value)),
    ['160.2 KB', '595.28 × 841.89 pt', 'no', 'none', 'h264', '29.97'],
  )
})
