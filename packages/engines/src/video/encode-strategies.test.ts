import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EncodeStrategy } from './encode-strategies.ts'
import { encodeStrategies, encodeWithFallback } from './encode-strategies.ts'
import { LibavError } from './libav/libav.ts'
import { NotCopiedError } from './tracks/copied-track.ts'
import { PlanMismatchError } from './tracks/segment-window.ts'

const stretches = { cuts: [3n], groupFrames: [50, 50] }
const nameOf = ({ copying: { video, audio }, stretches }: EncodeStrategy) =>
  `${video ? 'all' : audio ? 'audio' : 'nothing'} is copied, ${stretches === undefined ? 'whole' : 'in stretches'}`

async function triedStrategies(
  strategies: EncodeStrategy[],
  rejection: (strategy: EncodeStrategy) => Error | undefined,
): Promise<string[]> {
  const tried: string[] = []
  await encodeWithFallback(strategies, async (strategy) => {
    tried.push(nameOf(strategy))
    const error = rejection(strategy)
    if (error !== undefined) throw error
  })
  return tried
}

test('the video engine encodes an audio track again if the MP4 cannot contain its packets unchanged', async () => {
  const rejection = ({ copying }: EncodeStrategy) =>
    copying.audio ? new NotCopiedError('a packet without a time') : undefined
  const all = ['all is copied, whole', 'audio is copied, whole', 'nothing is copied, whole']
  assert.deepEqual(await triedStrategies(encodeStrategies(true, undefined), rejection), all)
  assert.deepEqual(await triedStrategies(encodeStrategies(false, undefined), rejection), all.slice(1))
  assert.deepEqual(await triedStrategies(encodeStrategies(false, undefined), () => undefined), all.slice(1, 2))
})

test('if the segments of a video fail, the video engine encodes the video from start to end, and repeats no segment', async () => {
  const isCut = ({ stretches }: EncodeStrategy) =>
    stretches === undefined ? undefined : new PlanMismatchError('coded differently')
  assert.deepEqual(await triedStrategies(encodeStrategies(false, stretches), isCut), [
    'audio is copied, in stretches',
    'audio is copied, whole',
  ])
  const rejects = ({ stretches }: EncodeStrategy) =>
    stretches === undefined ? undefined : new LibavError(-22, 'write')
  assert.deepEqual(await triedStrategies(encodeStrategies(false, stretches), rejects), [
    'audio is copied, in stretches',
    'nothing is copied, in stretches',
    'audio is copied, whole',
  ])
})

test('the encoder tries its next strategy after an expected error, and throws any other error or the error of the last strategy', async () => {
  const strategies = encodeStrategies(false, stretches)
  const all = triedStrategies(strategies, (strategy) => new NotCopiedError(nameOf(strategy)))
  await assert.rejects(all, { name: 'NotCopiedError', message: 'nothing is copied, whole' })
  let times = 0
  const none = triedStrategies(strategies, () => {
    times += 1
    return new RangeError('out of memory')
  })
  await assert.rejects(none, RangeError)
  assert.equal(times, 1)
})
