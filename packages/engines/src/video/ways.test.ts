import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LibavError } from './libav/libav.ts'
import { NotCopied } from './tracks/copied-track.ts'
import { NotCut } from './tracks/part-window.ts'
import type { Way } from './ways.ts'
import { makeByFirst, waysOf } from './ways.ts'

const stretches = { cuts: [3n], groupFrames: [50, 50] }
const nameOf = ({ copying: { picture, sound }, stretches }: Way) =>
  `${picture ? 'all' : sound ? 'sound' : 'nothing'} is copied, ${stretches === undefined ? 'whole' : 'in stretches'}`

/** Tells the ways that were gone until one did not throw what `refusal` gives. */
async function gone(ways: Way[], refusal: (way: Way) => Error | undefined): Promise<string[]> {
  const tried: string[] = []
  await makeByFirst(ways, async (way) => {
    tried.push(nameOf(way))
    const error = refusal(way)
    if (error !== undefined) throw error
  })
  return tried
}

test('what is copied is encoded where its packets cannot stand in an MP4', async () => {
  const refusal = ({ copying }: Way) => (copying.sound ? new NotCopied('a packet without a time') : undefined)
  const all = ['all is copied, whole', 'sound is copied, whole', 'nothing is copied, whole']
  assert.deepEqual(await gone(waysOf(true, undefined), refusal), all)
  assert.deepEqual(await gone(waysOf(false, undefined), refusal), all.slice(1))
  assert.deepEqual(await gone(waysOf(false, undefined), () => undefined), all.slice(1, 2))
})

test('a video that does not come out in stretches is coded from beginning to end, at once', async () => {
  const isCut = ({ stretches }: Way) => (stretches === undefined ? undefined : new NotCut('coded differently'))
  assert.deepEqual(await gone(waysOf(false, stretches), isCut), [
    'sound is copied, in stretches',
    'sound is copied, whole',
  ])
  const refuses = ({ stretches }: Way) => (stretches === undefined ? undefined : new LibavError(-22, 'write'))
  assert.deepEqual(await gone(waysOf(false, stretches), refuses), [
    'sound is copied, in stretches',
    'nothing is copied, in stretches',
    'sound is copied, whole',
  ])
})

test('the last refusal is thrown, and what is no refusal is thrown at once', async () => {
  const ways = waysOf(false, stretches)
  const all = gone(ways, (way) => new NotCopied(nameOf(way)))
  await assert.rejects(all, { name: 'NotCopied', message: 'nothing is copied, whole' })
  let times = 0
  const none = gone(ways, () => {
    times += 1
    return new RangeError('out of memory')
  })
  await assert.rejects(none, RangeError)
  assert.equal(times, 1)
})
