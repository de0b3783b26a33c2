import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { MediaType, SourceFormat } from '@mediamill/contract/domain/media'
import { MEDIA_WORDS, mediaTypeOf, SOURCE_FORMATS, WATERMARK_FORMATS } from '@mediamill/contract/domain/media'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { listed } from '@mediamill/contract/lib/words'
import { contentName } from '@mediamill/media/formats/content-name'

/**
 * Describes a source that the endpoint does not take. It says what the first bytes are, and where the source could be
 * sent.
 */
export function unsupportedSource(endpoint: Endpoint, head: Buffer, format: SourceFormat | undefined): RequestFailure {
  const takes = `${endpoint.name} takes ${listed(SOURCE_FORMATS[endpoint.media])}.`
  if (format === undefined) return failure(`The source is ${nameOf(head)} ${takes}`)
  const media = mediaTypeOf(format)
  const other = counterpart(endpoint, media)
  return failure(`The source is ${named(format)}: use ${other} for ${MEDIA_WORDS[media]}. ${takes}`)
}

/** A watermark image that cannot be laid over anything. */
export function unsupportedMark(head: Buffer, format: SourceFormat | undefined): RequestFailure {
  const takes = `A watermark is a ${listed(WATERMARK_FORMATS, 'or')}.`
  return failure(`The watermark image is ${format === undefined ? nameOf(head) : `${named(format)}.`} ${takes}`)
}

const failure = (message: string) => new RequestFailure('unsupported_media', message)

/** What it is, as a whole sentence, and what to do about the two that nobody meant to send. */
function nameOf(head: Buffer): string {
  const name = contentName(head)
  if (name === undefined) return 'in no format that is known here.'
  if (name === 'empty') return 'empty: its server sent no bytes.'
  return name === 'a web page' ? 'a web page: send the URL of the file itself.' : `${name}.`
}

const NOUNS: Record<MediaType, string> = { image: ' picture', video: ' video', document: '' }

/** The article goes by how the letters are spoken: an AVI, an MP4, an FLV; but a MOV, a HEIC. */
const named = (format: SourceFormat) =>
  `${/^(?:AV|MP|MK|FL)/.test(format) ? 'an' : 'a'} ${format}${NOUNS[mediaTypeOf(format)]}`

/** The endpoint that does the same to another medium; one that makes a still of it does so of another too. */
function counterpart({ name }: Endpoint, media: MediaType): string {
  const verb = name.split('/')[1]
  const verbs = verb === 'screenshot' || verb === 'snapshot' ? ['screenshot', 'snapshot', 'process'] : [verb]
  const found = ENDPOINTS.filter((endpoint) => endpoint.media === media)
  return found.find((endpoint) => verbs.includes(endpoint.name.split('/')[1]))?.name ?? `${media}s/process`
}
