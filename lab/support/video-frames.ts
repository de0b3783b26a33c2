import { stat } from 'node:fs/promises'
import type { VideoSourceFormat } from '@mediamill/contract/domain/media'
import { Decoder } from '@mediamill/engines/video/libav/decoder'
import { filterText } from '@mediamill/engines/video/libav/filter-text'
import { buildGraph, frameSource } from '@mediamill/engines/video/libav/graph'
import { newFrame, newPacket } from '@mediamill/engines/video/libav/libav'
import type { Media } from '@mediamill/engines/video/libav/media'
import { openMedia } from '@mediamill/engines/video/libav/media'
import { AVERROR_EOF } from 'node-av/constants'
import type { Frame, Packet } from 'node-av/lib'
import type { Rgb } from './video-clip.ts'

export type Shown = { seconds: number; width: number; height: number; at: (x: number, y: number) => Rgb }

export const openClip = async (path: string, format: VideoSourceFormat = 'MP4'): Promise<Media> =>
  openMedia({ path, format, size: (await stat(path)).size })

/** Yields the packets of a file. All packets are the same object, with new content. */
export function* packetsIn({ context }: Media): Generator<Packet> {
  using packet = newPacket()
  while (context.readFrameSync(packet) !== AVERROR_EOF) {
    yield packet
    packet.unref()
  }
}

/** Returns all frames of a video, with RGB pixels. Does not apply rotation. */
export async function framesOf(path: string, format: VideoSourceFormat = 'MP4'): Promise<Shown[]> {
  await using media = await openClip(path, format)
  using decoder = await Decoder.open('video', media.video, { threads: 1, maxPixels: 1e8 })
  const shown: Shown[] = []
  using frame = newFrame()
  const keep = (decoded: Frame) => {
    const { num, den } = media.video.timeBase
    const seconds = (Number(decoded.bestEffortTimestamp) * num) / den
    // Read the time first, because `toRgb` moves `decoded` into a filter graph.
    shown.push({ seconds, ...toRgb(decoded) })
  }
  for (const packet of packetsIn(media)) {
    if (packet.streamIndex === media.video.index) decoder.decode(packet, frame, keep)
  }
  decoder.decode(null, frame, keep)
  return shown
}

export async function firstAudioOf(path: string, format: VideoSourceFormat = 'MP4'): Promise<number> {
  await using media = await openClip(path, format)
  const { audio } = media
  if (audio === undefined) throw new Error('the video has no audio')
  using decoder = await Decoder.open('audio', audio, { threads: 1, maxPixels: 0 })
  using frame = newFrame()
  let first: number | undefined
  const look = (decoded: Frame) => {
    if (first !== undefined) return
    const { num, den } = audio.timeBase
    const loud = firstLoudSample(decoded)
    if (loud !== undefined) first = (Number(decoded.pts) * num) / den + loud / decoded.sampleRate
  }
  for (const packet of packetsIn(media)) {
    if (packet.streamIndex === audio.index) decoder.decode(packet, frame, look)
  }
  decoder.decode(null, frame, look)
  return first ?? Number.NaN
}

/** Returns the index of the first loud sample of the first channel. Supports 16-bit and 32-bit integers and floats. */
function firstLoudSample({ data, format, nbSamples, channels }: Frame): number | undefined {
  const [plane] = data ?? []
  if (plane === undefined) return undefined
  const kind = (format as number) % 5
  const step = (format as number) >= 5 ? 1 : channels
  const read = (sample: number) => {
    if (kind === 1) return plane.readInt16LE(sample * step * 2) / 32_768
    if (kind === 2) return plane.readInt32LE(sample * step * 4) / 2 ** 31
    return plane.readFloatLE(sample * step * 4)
  }
  for (let sample = 0; sample < nbSamples; sample += 1) if (Math.abs(read(sample)) > 0.05) return sample
  return undefined
}

function toRgb(decoded: Frame): Omit<Shown, 'seconds'> {
  const { width, height } = decoded
  const links = [
    { name: 'scale', args: { flags: 'accurate_rnd+full_chroma_int' } },
    { name: 'format', args: { pix_fmts: 'rgb24' } },
  ]
  using graph = buildGraph(filterText(links), {
    main: { name: 'in', open: (of) => frameSource(of, 'in', decoded, { num: 1, den: 25 }) },
    stills: [],
    sink: 'buffersink',
    threads: 1,
  })
  graph.put(decoded)
  using image = newFrame()
  if (!graph.take(image)) throw new Error('the filter graph returned no image')
  const data = image.toBuffer()
  const at = (x: number, y: number): Rgb => {
    const offset = (y * width + x) * 3
    return [data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0]
  }
  return { width, height, at }
}
