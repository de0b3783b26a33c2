import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factText } from './fact-text.ts'

test('facts are printed for people, none of them as JSON [operator.commands.1]', () => {
  const facts = { size: 164_045, page_size: { width: 595.28, height: 841.89, unit: 'pt' }, encrypted: false }
  const texts = Object.entries({ ...facts, audio_codec: null, codec: 'h264', frame_rate: 29.97 })
  assert.deepEqual(
    texts.map(([name, value]) => factText(name, value)),
    ['160.2 KB', '595.28 × 841.89 pt', 'no', 'none', 'h264', '29.97'],
  )
})
