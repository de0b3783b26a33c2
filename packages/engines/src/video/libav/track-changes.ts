import type { AVCodecID } from 'node-av/constants'
import {
  AV_CODEC_ID_MP1,
  AV_CODEC_ID_MP2,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_NONE,
  AVDISCARD_DEFAULT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import { changesTrack } from './failures.ts'
import type { Media } from './media.ts'
import { streamsOf } from './media.ts'

type Name = 'video' | 'audio'
type Track = { stream: Stream; codec: AVCodecID; name: Name; endsAt: bigint }
type OtherTrack = { name: Name; startsAt: bigint; seconds: number }

// A shorter track after the end of the video may be a fragment at a joint.
const MIN_OTHER_SECONDS = 1

/**
 * Rejects a broadcast whose video or audio continues with another codec or in another track. Otherwise, the result
 * would end early. Makes libav read the other tracks too.
 */
export class TrackChanges {
  readonly #context: Media['context']
  readonly #tracks: ReadonlyMap<number, Track>
  readonly #others = new Map<number, OtherTrack>()

  constructor(media: Media) {
    this.#context = media.context
    const tracks = media.isStream ? [...streamsOf(media)] : []
    this.#tracks = new Map(tracks.map(([index, stream]) => [index, trackOf(stream)]))
    if (!media.isStream) return
    for (const stream of media.context.streams) {
      if (!this.#tracks.has(stream.index) && nameOf(stream) !== undefined) stream.discard = AVDISCARD_DEFAULT
    }
  }

  /** Accepts each packet of the file. Throws if the codec of a track changes. `reachedSeconds` is for the message. */
  check(packet: Packet, reachedSeconds: number): void {
    if (this.#tracks.size === 0) return
    const track = this.#tracks.get(packet.streamIndex)
    if (track === undefined) return this.#addOther(packet)
    if (packet.pos > track.endsAt) track.endsAt = packet.pos
    const codec = codecOf(track.stream)
    if (codec !== AV_CODEC_ID_NONE && codec !== track.codec) throw changesTrack(track.name, reachedSeconds)
  }

  /** Throws if another track starts after the end of a track. */
  checkEnd(reachedSeconds: number): void {
    for (const { name, endsAt } of this.#tracks.values()) {
      const later = [...this.#others.values()].filter((other) => other.name === name && other.startsAt > endsAt)
      if (later.some(({ seconds }) => seconds > MIN_OTHER_SECONDS)) throw changesTrack(name, reachedSeconds)
    }
  }

  #addOther(packet: Packet): void {
    const stream = this.#context.streams[packet.streamIndex]
    const name = stream && nameOf(stream)
    if (stream === undefined || name === undefined) return
    const { num, den } = stream.timeBase
    const other = this.#others.get(packet.streamIndex) ?? { name, startsAt: packet.pos, seconds: 0 }
    other.seconds += (Number(packet.duration) * num) / den
    this.#others.set(packet.streamIndex, other)
  }
}

function trackOf(stream: Stream): Track {
  return { stream, codec: codecOf(stream), name: nameOf(stream) ?? 'audio', endsAt: 0n }
}

function nameOf({ codecpar: { codecType } }: Stream): Name | undefined {
  if (codecType === AVMEDIA_TYPE_VIDEO) return 'video'
  return codecType === AVMEDIA_TYPE_AUDIO ? 'audio' : undefined
}

/** Returns the codec of a track. libav confuses the layers of MPEG audio until a packet is parsed. */
function codecOf({ codecpar }: Stream): AVCodecID {
  const { codecId } = codecpar
  return codecId === AV_CODEC_ID_MP1 || codecId === AV_CODEC_ID_MP2 ? AV_CODEC_ID_MP3 : codecId
}
