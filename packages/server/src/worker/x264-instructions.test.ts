import assert from 'node:assert/strict'
import { test } from 'node:test'
import { x264Instructions } from './x264-instructions.ts'

test('libx264 is limited to AVX2 on a processor with AVX-512, and has no limit on other processors', () => {
  assert.equal(x264Instructions('flags\t\t: sse4_2 avx2 avx512f avx512bw\n'), 'AVX2')
  assert.equal(x264Instructions('flags\t\t: sse4_2 avx2\n'), undefined)
  assert.equal(x264Instructions(''), undefined)
})
