import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { open, readFile, writeFile } from 'node:fs/promises'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { openClip, packetsIn } from '@mediamill/lab/support/video-frames'
import type { CutExtras, SegmentsPlan } from '@mediamill/media/plan/video-segments'
import { planOf, segmentsOf } from '@mediamill/media/plan/video-segments'
import type { AdditionalInput } from '../../protocol/messages.ts'
import { processVideo } from '../process.ts'
import type { BenchDone, RunOptions, TestFolder } from '../video-fixture.ts'
import { joinSegments } from './join-segments.ts'
import { makeSegment } from './make-segment.ts'
import { planSegments } from './plan-segments.ts'

type Video = { folder: TestFolder; file: string; format: VideoSourceFormat; options: RunOptions }

export async function planOfClip({ folder, file, format, options }: Video, seconds: number) {
  const { data } = await folder.run(planSegments, file, format, cutBy(options, seconds))
  return planOf(data)
}

/** Encodes a clip unsplit, in stretches as long as the segments of a split clip. */
export const inStretches = ({ folder, file, format, options }: Video, seconds: number): Promise<BenchDone> =>
  folder.run(processVideo, file, format, cutBy(options, seconds))

const cutBy = (options: RunOptions, seconds: number): RunOptions => {
  const cuts: CutExtras = { part_seconds: seconds, part_pixels: 1 }
  return { ...options, parameters: { ...options.parameters, ...cuts } }
}

let copies = 0

export async function segmentOf(
  { folder, file, format, options }: Video,
  plan: SegmentsPlan,
  segment: number,
): Promise<BenchDone & { bytes: number }> {
  const whole = await readFile(file)
  const presentBytes = Math.min(4096, whole.length)
  copies += 1
  const copy = folder.path(`part-of-${copies}`)
  await writeFile(copy, whole.subarray(0, presentBytes))
  let bytes = 0
  const done = await folder.run(makeSegment, copy, format, {
    ...options,
    parameters: { ...options.parameters, plan, part: segment },
    presentBytes,
    size: whole.length,
    async fetchRange({ offset, length }) {
      bytes += length
      await using target = await open(copy, 'r+')
      await target.write(whole, offset, length, offset)
    },
  })
  return { ...done, bytes }
}

export async function makeSegments(video: Video, seconds: number) {
  const plan = await planOfClip(video, seconds)
  assert.ok(plan, 'it can be cut')
  const segments: (BenchDone & { bytes: number })[] = []
  for (const number of segmentsOf(plan).keys()) segments.push(await segmentOf(video, plan, number))
  return { plan, segments }
}

export function join(
  { folder, file, format }: Video,
  plan: SegmentsPlan,
  segments: readonly BenchDone[],
): Promise<BenchDone> {
  const assets = segments.map(
    ({ files: [made] }, number): AdditionalInput => ({
      url: String(number),
      path: made?.path ?? '',
      format: 'MP4',
      size: made?.size ?? 0,
    }),
  )
  return folder.run(joinSegments, file, format, {
    assets,
    parameters: { plan, parts: segments.map(({ data }) => data) },
  })
}

export async function packetsOf(file: string) {
  await using media = await openClip(file)
  const video: string[] = []
  const audio: string[] = []
  const coded: string[] = []
  for (const packet of packetsIn(media)) {
    const { pts, dts, duration } = packet
    if (packet.streamIndex === media.video.index) {
      video.push(`${dts} ${duration}`)
      coded.push(
        `${pts} ${createHash('sha256')
          .update(packet.data ?? '')
          .digest('hex')}`,
      )
    } else audio.push(`${pts} ${dts} ${duration} ${Buffer.from(packet.data ?? []).toString('base64')}`)
  }
  return {
    times: { video, audio, header: media.video.codecpar.extradata?.toString('hex') },
    coded,
  }
}
