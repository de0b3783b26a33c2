import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MediaType } from '@mediamill/contract/domain/media'
import type { Input } from '../inputs/input.ts'
import { isUrl } from '../inputs/input.ts'
import { mediaOf } from '../inputs/media-of.ts'
import { mediaWith, STILL_FORMATS, shippedCatalog } from '../operations/catalog.ts'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { Target } from '../outputs/target.ts'
import { formatOfTarget, pathOf } from '../outputs/target.ts'
import { UsageError } from '../usage-error.ts'
import type { Job, Overlay } from './job.ts'

/** The work of a command on every input. */
export type Wanted = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** Fields of the body except `source`, `operations`, and `output`. A field that is `undefined` is not sent. */
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type of the inputs, if it does not depend on their content. */
  media: MediaType | undefined
  target: Target
}

/** One input with its job, or with the reason for its rejection. */
export type Planned = { input: Input; index: number } & (PlannedJob | { refusal: Error })

export type PlannedJob = {
  job: Job
  /** The path of the result; `undefined` for stdout, or if the job makes no file. */
  path: string | undefined
  /** The format of the result file; `undefined` if the job makes no file. */
  format: string | undefined
  /** Whether a number is added to the file name if the path is in use. */
  findsName: boolean
}

/**
 * Plans every input. A rejected input does not stop the other inputs. Throws `UsageError` if every input has a wrong
 * format.
 */
export async function planJobs(inputs: readonly Input[], wanted: Wanted): Promise<Planned[]> {
  const overlays = await overlaysOf(wanted.operations)
  const planned: Planned[] = []
  for (const [index, input] of inputs.entries()) {
    try {
      planned.push({ input, index, ...(await planJob(input, index, wanted, overlays)) })
    } catch (error) {
      if (!(error instanceof OperatorError) || error instanceof UsageError) throw error
      planned.push({ input, index, refusal: error })
    }
  }
  const [first] = planned
  // If no input supports this format, the format is a mistake, and no job is started.
  if (first !== undefined && planned.every((one) => 'refusal' in one && one.refusal instanceof FormatError)) {
    if ('refusal' in first) throw new UsageError(first.refusal.message)
  }
  return planned
}

/** The endpoint of an input does not support the requested format. */
class FormatError extends OperatorError {
  override name = 'FormatError'
}

async function planJob(input: Input, index: number, wanted: Wanted, overlays: readonly Overlay[]): Promise<PlannedJob> {
  const media = wanted.media ?? (await mediaOf(input))
  checkMedia(input, media, wanted)
  const hasFile = wanted.verb !== 'read'
  const isStill = wanted.verb === 'screenshot' || wanted.verb === 'snapshot'
  const format = hasFile ? formatOf(isStill ? 'still' : media, wanted) : undefined
  const job: Job = {
    endpoint: `${media}s/${wanted.verb}`,
    source: input.kind === 'url' ? { kind: 'url', url: input.url } : { kind: 'file', path: input.path },
    body: {
      ...(wanted.verb === 'process' && { operations: wanted.operations }),
      ...(format?.asked !== undefined && { output: { format: format.asked } }),
      ...Object.fromEntries(Object.entries(wanted.fields).filter(([, value]) => value !== undefined)),
    },
    overlays,
  }
  const path = format && pathOf(wanted.target, input, index, format.made)
  return { job, path, format: format?.made, findsName: wanted.target.kind === 'beside' }
}

const WITH_ARTICLE: Record<MediaType, string> = { image: 'an image', video: 'a video', document: 'a document' }

function checkMedia(input: Input, media: MediaType, { verb, operations }: Wanted): void {
  const takes = { screenshot: 'video', snapshot: 'document' } as const
  if (verb in takes && takes[verb as keyof typeof takes] !== media) {
    const other =
      verb === 'screenshot' ? 'videos; snapshot shows a page of a PDF' : 'PDFs; screenshot shows a moment of a video'
    throw new OperatorError(`${input.label} is ${WITH_ARTICLE[media]}, but ${verb} only supports ${other}.`)
  }
  for (const { type } of operations) {
    const works = mediaWith(type)
    // The service checks operations of `--operation`.
    if (works.length === 0 || works.includes(media)) continue
    const others = new Intl.ListFormat('en').format(works.map((other) => `${other}s`))
    throw new OperatorError(
      `--${type.replaceAll('_', '-')} works on ${others}, and ${input.label} is ${WITH_ARTICLE[media]}.`,
    )
  }
}

/** Returns the requested format, if any, and the format of the result. */
function formatOf(made: MediaType | 'still', { format, target }: Wanted): { asked: string | undefined; made: string } {
  const formats = made === 'still' ? STILL_FORMATS : shippedCatalog()[made].formats
  const typed = (format ?? formatOfTarget(target))?.toLowerCase()
  const asked = typed === 'jpeg' ? 'jpg' : typed === 'tiff' ? 'tif' : typed
  if (asked !== undefined && !formats.includes(asked)) {
    throw new FormatError(
      `The format of ${made === 'still' ? 'a still image' : WITH_ARTICLE[made]} must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(formats)} (got ${JSON.stringify(typed)}).`,
    )
  }
  return { asked, made: asked ?? formats[0] ?? '' }
}

/** Returns the local files that operations use instead of a URL. */
async function overlaysOf(operations: readonly FlaggedOperation[]): Promise<Overlay[]> {
  const overlays: Overlay[] = []
  for (const [operation, params] of operations.entries()) {
    for (const [param, value] of Object.entries(params)) {
      if (!param.endsWith('_url') || typeof value !== 'string' || isUrl(value) || value.startsWith('upload:')) continue
      const path = resolve(value)
      if ((await stat(path).catch(() => undefined))?.isFile() !== true)
        throw new UsageError(`The file ${value} does not exist.`)
      overlays.push({ operation, param, path })
    }
  }
  return overlays
}
