import { open, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { FlaggedOperation } from '@mediamill/cli/src/operations/operation-flags'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MediaType } from '@mediamill/contract/domain/media'
import { mediaTypeOf, OUTPUT_FORMATS, SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { findOperation } from '@mediamill/contract/operations/index'
import { supports } from '@mediamill/contract/operations/operation'
import { assetsOf } from '@mediamill/contract/operations/schema'
import { sniff } from '@mediamill/media/formats/sniff'

/** The plan for a local file, made before a service runs. */
export type Trial = {
  /** The file's name without its folder. */
  name: string
  endpoint: string
  /** All files to serve: the file itself, and the files that operations name. */
  files: string[]
  /** The format of the result. */
  format: string
  /** The output path. `undefined`: a new file next to the input file. */
  out: string | undefined
  /** Returns the body of the call, with URLs in place of local files. */
  body: (urlOf: (path: string) => string) => object
}

/** Checks a file and the options. Throws `OperatorError` if they do not fit. */
export async function planTrial(
  file: string,
  operations: readonly FlaggedOperation[],
  asked: { out?: string; format?: string },
): Promise<Trial> {
  const name = basename(file)
  const media = await mediaOf(file)
  for (const { type } of operations) refuseForeign(type, media, name)
  const overlays = await localOverlays(operations)
  const files = [file, ...overlays.flatMap((named) => [...named.values()])]
  const out = asked.out === undefined ? undefined : await placeFor(asked.out, files)
  if (operations.length === 0 && (out ?? asked.format) !== undefined) {
    throw new OperatorError(
      'No operation was passed, so there is no result. Add an operation, such as --resize 800x800.',
    )
  }
  const format = formatOf(media, asked.format, out)
  return {
    name,
    endpoint: `${media}s/${operations.length === 0 ? 'read' : 'process'}`,
    files,
    format: format ?? OUTPUT_FORMATS[media][0],
    out,
    body: (urlOf) => ({
      source: urlOf(file),
      ...(operations.length > 0 && {
        operations: operations.map((operation, index) => ({
          ...operation,
          ...Object.fromEntries([...(overlays[index] ?? [])].map(([param, path]) => [param, urlOf(path)])),
        })),
      }),
      ...(format !== undefined && { output: { format } }),
    }),
  }
}

/** Returns an unused name next to the file: `photo-result.jpg`, `photo-result-2.jpg`. */
export async function freeName(file: string, format: string): Promise<string> {
  const stem = join(dirname(file), basename(file, extname(file)))
  for (let count = 1; ; count += 1) {
    const path = `${stem}-result${count === 1 ? '' : `-${count}`}.${format}`
    if ((await statOf(path)) === undefined) return path
  }
}

/** Returns the output path. Its folder must exist, and it must not be an input file. */
async function placeFor(asked: string, files: readonly string[]): Promise<string> {
  const out = resolve(asked)
  if ((await statOf(dirname(out)))?.isDirectory() !== true) {
    throw new OperatorError(`The folder ${dirname(out)} does not exist. Use another file with --out.`)
  }
  const there = await statOf(out)
  for (const file of there === undefined ? [] : files) {
    const read = await statOf(file)
    if (read?.ino === there?.ino && read?.dev === there?.dev) {
      throw new OperatorError(`--out would overwrite the input file ${basename(file)}. Name another file.`)
    }
  }
  return out
}

const HEAD_BYTES = 65_536

async function mediaOf(file: string): Promise<MediaType> {
  if (!(await isFile(file))) throw new OperatorError(`The file ${file} does not exist.`)
  const format = sniff(await headOf(file))
  if (format !== undefined) return mediaTypeOf(format)
  const known = Object.values(SOURCE_FORMATS).flat().join(', ')
  throw new OperatorError(`The content of ${basename(file)} is not in a supported format. Supported formats: ${known}.`)
}

async function headOf(file: string): Promise<Buffer> {
  try {
    await using handle = await open(file)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw new OperatorError(`${file} cannot be read.`, { cause: error })
  }
}

function refuseForeign(type: string, media: MediaType, name: string): void {
  const operation = findOperation(type)
  if (operation === undefined || supports(operation, media)) return
  const others = (['image', 'video', 'document'] as const).filter((other) => supports(operation, other))
  const works = new Intl.ListFormat('en').format(others.map((other) => `${other}s`))
  throw new OperatorError(`--${type.replaceAll('_', '-')} works on ${works}, and ${name} is ${WITH_ARTICLE[media]}.`)
}

const WITH_ARTICLE: Record<MediaType, string> = { image: 'an image', video: 'a video', document: 'a document' }

/** Returns the requested format: by its name, or by the extension of the output file. */
function formatOf(media: MediaType, named: string | undefined, out: string | undefined): string | undefined {
  const formats: readonly string[] = OUTPUT_FORMATS[media]
  const asked = named ?? (out === undefined ? '' : extname(out).slice(1))
  const format = { jpeg: 'jpg', tiff: 'tif' }[asked.toLowerCase()] ?? asked.toLowerCase()
  if (formats.includes(format)) return format
  if (named === undefined && asked === '') return undefined
  throw new OperatorError(
    `${JSON.stringify(asked)} is not a format for ${WITH_ARTICLE[media]}. Use ${formats.join(', ')}.`,
  )
}

/** Returns the local files that each operation names, by parameter. */
async function localOverlays(operations: readonly FlaggedOperation[]): Promise<Map<string, string>[]> {
  const overlays = operations.map(() => new Map<string, string>())
  for (const { operation, param, url } of assetsOf(operations)) {
    if (/^https?:\/\//i.test(url)) continue
    const path = resolve(url)
    if (!(await isFile(path))) throw new OperatorError(`The file ${path} does not exist.`)
    overlays[operation]?.set(param, path)
  }
  return overlays
}

const statOf = async (path: string) => await stat(path).catch(() => undefined)
const isFile = async (path: string) => (await statOf(path))?.isFile() === true
