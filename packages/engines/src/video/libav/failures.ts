import { RequestFailure } from '@mediamill/contract/domain/errors'

/** The failure of a file that says it is a video and cannot be decoded. */
export function damaged(cause: unknown): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    'The source video is damaged or incomplete and cannot be decoded. Check that the file plays and was uploaded whole.',
    { cause },
  )
}

/** The failure of a file whose end is missing. */
export function endsEarly(readSeconds: number, statedSeconds: number | undefined, cause?: unknown): RequestFailure {
  const stated = statedSeconds === undefined ? '' : ` of ${formatSeconds(statedSeconds)}`
  return new RequestFailure(
    'processing_failed',
    `The source video is damaged or incomplete: only ${formatSeconds(readSeconds)}${stated} can be read. Check that the file was uploaded whole.`,
    { cause },
  )
}

/** The failure of a file whose pictures are locked. */
export function encrypted(): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    'The source video is encrypted (protected against copying). Send one without protection.',
  )
}

/** The failure of a file in a coding that is not decoded. Its name is libav's. */
export function unsupportedCodec(what: 'picture' | 'sound', codec: string): RequestFailure {
  return new RequestFailure(
    'unsupported_media',
    `The ${what} of the source is coded as ${codec}, which is not supported. Send one that is H.264, HEVC, VP9 or another common coding.`,
  )
}

/** Words the failure of a file whose first picture comes after the kept part. */
export function beginsLate(firstSeconds: number, keptSeconds: number): RequestFailure {
  return new RequestFailure(
    'processing_failed',
    `The first picture of the video comes at ${formatSeconds(firstSeconds)}, so there is none in the first ${formatSeconds(keptSeconds)}. Choose a longer max_duration.`,
  )
}

/** `12.5 s`, at most 3 decimals. */
export const formatSeconds = (seconds: number) => `${Number(seconds.toFixed(3))} s`
