import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { MediaType, SourceFormat } from '@mediamill/contract/domain/media'
import { MEDIA_WORDS, mediaTypeOf, SOURCE_FORMATS, WATERMARK_FORMATS } from '@mediamill/contract/domain/media'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { joinList } from '@mediamill/contract/lib/format-text'
import type { AdditionalInput, EngineFile } from '@mediamill/engines/protocol/messages'
import { contentName } from '@mediamill/media/formats/content-name'
import { sniff } from '@mediamill/media/formats/sniff'
import type { SparseFile } from '../outbound/fetch/source-file.ts'

export function sourceInput(
  endpoint: Endpoint,
  path: string,
  { head, size, presentBytes }: SparseFile,
): EngineFile & { format: SourceFormat } {
  const format = sniff(head)
  if (format === undefined || mediaTypeOf(format) !== endpoint.media) throw unsupportedSource(endpoint, head, format)
  return { path, format, size, ...(presentBytes < size && { presentBytes }) }
}

export function watermarkInput(url: string, path: string, { head, size }: SparseFile): AdditionalInput {
  const format = sniff(head)
  const known = WATERMARK_FORMATS.find((name) => name === format)
  if (known === undefined) throw unsupportedMark(head, format)
  return { url, path, format: known, size }
}

function unsupportedSource(endpoint: Endpoint, head: Buffer, format: SourceFormat | undefined): RequestFailure {
  const takes = `${endpoint.name} accepts ${joinList(SOURCE_FORMATS[endpoint.media])}.`
  if (format === undefined) return failure(`The source is ${nameOf(head)} ${takes}`)
  const media = mediaTypeOf(format)
  const other = endpointWithVerb(endpoint, media)
  return failure(`The source is ${named(format)}: use ${other} for ${MEDIA_WORDS[media]}. ${takes}`)
}

function unsupportedMark(head: Buffer, format: SourceFormat | undefined): RequestFailure {
  const takes = `A watermark is a ${joinList(WATERMARK_FORMATS, 'or')}.`
  return failure(`The watermark image is ${format === undefined ? nameOf(head) : `${named(format)}.`} ${takes}`)
}

const failure = (message: string) => new RequestFailure('unsupported_media', message)

/** Returns the end of the sentence `The source is …`. */
function nameOf(head: Buffer): string {
  const name = contentName(head)
  if (name === undefined) return 'in an unknown format.'
  if (name === 'empty') return 'empty: its server sent no bytes.'
  return name === 'a web page' ? 'a web page: send the URL of the file itself.' : `${name}.`
}

const NOUNS: Record<MediaType, string> = { image: ' image', video: ' video', document: '' }

/** Returns the name of a format with its article. Uses `an` by pronunciation: an AVI, an MP4, an FLV, a MOV, a HEIC. */
const named = (format: SourceFormat) =>
  `${/^(?:AV|MP|MK|FL)/.test(format) ? 'an' : 'a'} ${format}${NOUNS[mediaTypeOf(format)]}`

/** Returns the endpoint with the same purpose for another media type, or else `process`. */
function endpointWithVerb({ name }: Endpoint, media: MediaType): string {
  const verb = name.split('/')[1]
  const verbs = verb === 'screenshot' || verb === 'snapshot' ? ['screenshot', 'snapshot', 'process'] : [verb]
  const found = ENDPOINTS.filter((endpoint) => endpoint.media === media)
  return found.find((endpoint) => verbs.includes(endpoint.name.split('/')[1]))?.name ?? `${media}s/process`
}
