import { OperatorError } from '@mediamill/contract/domain/errors'
import type { MediaType } from '@mediamill/contract/domain/media'
import { FORMATS_OF_OUTPUTS, STILL_FORMATS_OF_OUTPUTS } from '@mediamill/contract/domain/media'
import type { Input } from '../inputs/input.ts'
import { mediaOf } from '../inputs/media-of.ts'
import { formatNamed, mediaWith, STILL_FORMATS, shippedCatalog } from '../operations/catalog.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import { formatOfTarget, pathsOf } from '../outputs/target.ts'
import { UsageError } from '../usage-error.ts'
import type { BatchSettings } from './batch-settings.ts'
import type { Job, Overlay } from './job.ts'
import { overlaysOf } from './overlays.ts'

export type Planned = { input: Input; index: number } & (PlannedJob | { rejection: Error })

export type PlannedJob = {
  job: Job
  files: readonly NamedFile[]
  /** The paths of the result files. Empty if the job makes no file, or writes to stdout. */
  paths: readonly string[]
  /** Whether to number the file names if a path is already in use. */
  findsName: boolean
}

/** Plans a job for each input, or a `rejection`. Throws `UsageError` if no input supports the output format. */
export async function planJobs(inputs: readonly Input[], settings: BatchSettings): Promise<Planned[]> {
  const overlays = await overlaysOf({ operations: settings.operations, outputs: settings.outputs })
  const planned: Planned[] = []
  for (const [index, input] of inputs.entries()) {
    try {
      planned.push({ input, index, ...(await planJob(input, index, settings, overlays)) })
    } catch (error) {
      if (!(error instanceof OperatorError) || error instanceof UsageError) throw error
      planned.push({ input, index, rejection: error })
    }
  }
  const [first] = planned
  if (first !== undefined && planned.every((one) => 'rejection' in one && one.rejection instanceof FormatError)) {
    if ('rejection' in first) throw new UsageError(first.rejection.message)
  }
  return planned
}

class FormatError extends OperatorError {
  override name = 'FormatError'
}

async function planJob(
  input: Input,
  index: number,
  settings: BatchSettings,
  overlays: readonly Overlay[],
): Promise<PlannedJob> {
  const media =
    settings.media ?? (input.kind === 'url' ? settings.template?.media : undefined) ?? (await mediaOf(input))
  checkMedia(input, media, settings)
  const { sentFormat, files } = filesOf(media, settings)
  const job: Job = {
    endpoint: `${media}s/${settings.verb}`,
    source: input.kind === 'url' ? { kind: 'url', url: input.url } : { kind: 'file', path: input.path },
    body: {
      ...(settings.operations.length > 0 && { operations: settings.operations }),
      ...(settings.template !== undefined && {
        template: settings.template.id,
        variables: settings.template.variables,
      }),
      ...(sentFormat !== undefined && { output: { format: sentFormat } }),
      ...(settings.outputs !== undefined && { outputs: settings.outputs }),
      ...Object.fromEntries(Object.entries(settings.fields).filter(([, value]) => value !== undefined)),
    },
    overlays,
  }
  const paths = pathsOf(settings.target, input, index, files)
  return { job, files, paths, findsName: settings.target.kind === 'default' }
}

function filesOf(
  media: MediaType,
  settings: BatchSettings,
): { sentFormat?: string | undefined; files: readonly NamedFile[] } {
  const { verb, outputs, template } = settings
  if (verb === 'read') return { files: [] }
  if (template !== undefined) return { files: template.files }
  const isStill = verb === 'screenshot' || verb === 'snapshot'
  if (outputs === undefined) {
    const { sentFormat, made } = formatOf(isStill ? 'still' : media, settings)
    return { sentFormat, files: [{ format: made }] }
  }
  const formats: readonly string[] = isStill ? STILL_FORMATS_OF_OUTPUTS : FORMATS_OF_OUTPUTS
  const files = outputs.map(({ name = '', format = formats[0] ?? '' }, index) => {
    if (!formats.includes(format)) throw unknownFormat('an output', formats, format)
    return { name: name === '' ? String(index) : name, format }
  })
  return { files }
}

const WITH_ARTICLE: Record<MediaType, string> = { image: 'an image', video: 'a video', document: 'a document' }

function checkMedia(input: Input, media: MediaType, { verb, operations, outputs, template }: BatchSettings): void {
  if (template !== undefined && template.media !== media) {
    const kind = `${WITH_ARTICLE[media]}, but the template ${template.id} only supports ${template.media}s`
    throw new OperatorError(`${input.label} is ${kind}.`)
  }
  const takes = { screenshot: 'video', snapshot: 'document' } as const
  if (verb in takes && takes[verb as keyof typeof takes] !== media) {
    const other =
      verb === 'screenshot' ? 'videos; snapshot shows a page of a PDF' : 'PDFs; screenshot shows a moment of a video'
    throw new OperatorError(`${input.label} is ${WITH_ARTICLE[media]}, but ${verb} only supports ${other}.`)
  }
  if (verb === 'process' && outputs !== undefined && media !== 'image')
    throw new OperatorError(`--output only works on images, but ${input.label} is ${WITH_ARTICLE[media]}.`)
  for (const { type } of operations) {
    const works = mediaWith(type)
    // `--operation` may name an operation of a newer service. The service validates the operation.
    if (works.length === 0 || works.includes(media)) continue
    const others = new Intl.ListFormat('en').format(works.map((other) => `${other}s`))
    throw new OperatorError(
      `--${type.replaceAll('_', '-')} only works on ${others}, but ${input.label} is ${WITH_ARTICLE[media]}.`,
    )
  }
}

function formatOf(
  made: MediaType | 'still',
  { format, target }: BatchSettings,
): { sentFormat: string | undefined; made: string } {
  const formats = made === 'still' ? STILL_FORMATS : shippedCatalog()[made].formats
  const ending = formatOfTarget(target)
  if (format !== undefined && ending !== undefined && isFormat(ending) && formatNamed(ending) !== formatNamed(format))
    throw new UsageError(`--format makes a file in the format ${format}, but -o ends with .${ending}.`)
  const typed = format ?? ending
  const sentFormat = typed === undefined ? undefined : formatNamed(typed)
  if (sentFormat !== undefined && !formats.includes(sentFormat)) {
    throw unknownFormat(made === 'still' ? 'a still image' : WITH_ARTICLE[made], formats, typed)
  }
  return { sentFormat, made: sentFormat ?? formats[0] ?? '' }
}

const isFormat = (ending: string) =>
  Object.values(shippedCatalog()).some(({ formats }) => formats.includes(formatNamed(ending)))

function unknownFormat(of: string, formats: readonly string[], typed: string | undefined): FormatError {
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(formats)
  return new FormatError(`The format of ${of} must be ${list} (got ${JSON.stringify(typed)}).`)
}
