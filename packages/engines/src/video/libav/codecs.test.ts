import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FF_DECODER_LIBFDK_AAC, FF_ENCODER_AAC } from 'node-av/constants'
import { Codec } from 'node-av/lib'
import { DECODER_WHITELIST, isAllowedDecoder } from './codecs.ts'

test("the video engine never opens the FDK AAC codec, because FFmpeg's own codec encodes and decodes AAC", () => {
  assert.equal(isAllowedDecoder(FF_DECODER_LIBFDK_AAC), false)
  assert.doesNotMatch(DECODER_WHITELIST, /fdk/)
  const encoder = Codec.findEncoderByName(FF_ENCODER_AAC)
  assert.equal(encoder?.name, 'aac')
  const decoder = Codec.findDecoder(encoder.id)
  assert.equal(decoder?.name, 'aac')
})
