import { RequestFailure } from '@mediamill/contract/domain/errors'

export function damaged(cause: unknown): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    'The source video is damaged or incomplete and cannot be decoded. Check that the file plays and was uploaded completely.',
    { cause },
  )
}

export function endsEarly(readSeconds: number, statedSeconds: number | undefined, cause?: unknown): RequestFailure {
  const stated = statedSeconds === undefined ? '' : ` of ${formatSeconds(statedSeconds)}`
  return new RequestFailure(
    'processing_failed',
    `The source video is damaged or incomplete: only ${formatSeconds(readSeconds)}${stated} can be read. Check that the file was uploaded completely.`,
    { cause },
  )
}

export function encrypted(): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    'The source video is encrypted (copy protection). Send a video without protection.',
  )
}

export function unsupportedCodec(track: 'video' | 'audio', codec: string): RequestFailure {
  return new RequestFailure(
    'unsupported_media',
    `The ${track === 'video' ? 'video' : 'audio'} of the source uses the codec ${codec}, which is not supported. Send H.264, HEVC, VP9, or another common codec.`,
  )
}

export function changesTrack(track: 'video' | 'audio', seconds: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The ${track} of the source continues with another codec or in another track after ${formatSeconds(seconds)}, which is not supported. Convert the source to one codec, or send its parts one by one.`,
  )
}

export function beginsLate(firstSeconds: number, maxSeconds: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The first frame of the video is at ${formatSeconds(firstSeconds)}, so the first ${formatSeconds(maxSeconds)} contain no frame. Choose a longer max_duration.`,
  )
}

/** How to get a smaller result, for messages about its size limit. */
export const SHORTER = 'Use max_duration, or a resize to fewer pixels.'

export const formatSeconds = (seconds: number) => `${Number(seconds.toFixed(3))} s`
