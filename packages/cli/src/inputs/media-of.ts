import { open } from 'node:fs/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MediaType } from '@mediamill/contract/domain/media'
import { mediaTypeOf, SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { sniff } from '@mediamill/media/formats/sniff'
import { reasonOf } from '../batch/reason.ts'
import { fileErrorReason } from '../file-error.ts'
import { visible } from '../terminal/output.ts'
import type { Input } from './input.ts'

const HEAD_BYTES = 65_536

/** Media types by file extension, for URLs: the command never fetches their content. */
const ENDINGS: readonly (readonly [RegExp, MediaType])[] = [
  [/^(?:jpe?g|jfif|png|gif|webp|tiff?|bmp|heic|heif|avif)$/i, 'image'],
  [/^(?:mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|ts|m2ts)$/i, 'video'],
  [/^pdf$/i, 'document'],
]

export async function mediaOf(input: Input): Promise<MediaType> {
  if (input.kind === 'url') {
    const known = ENDINGS.find(([pattern]) => pattern.test(input.ending))
    if (known !== undefined) return known[1]
    throw new OperatorError(
      `${input.label} has no known extension: add --media image, --media video, or --media document.`,
    )
  }
  const name = input.kind === 'stdin' ? 'stdin' : visible(input.label)
  const head = await headOf(input.path, input.label)
  if (head.length === 0) throw new OperatorError(`${name} is empty.`)
  const format = sniff(head)
  if (format !== undefined) return mediaTypeOf(format)
  const formats = Object.values(SOURCE_FORMATS).flat().join(', ')
  throw new OperatorError(`The content of ${name} is not in a supported format. Supported formats: ${formats}.`)
}

export async function hasKnownFormat(path: string): Promise<boolean> {
  return await headOf(path, path).then(
    (head) => sniff(head) !== undefined,
    () => false,
  )
}

async function headOf(path: string, label: string): Promise<Buffer> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw new OperatorError(`${label} cannot be read (${fileErrorReason(error) ?? reasonOf(error)}).`, { cause: error })
  }
}
