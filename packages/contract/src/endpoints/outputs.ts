import { z } from 'zod'
import { MAX_OUTPUTS, MIN_MAX_BYTES } from '../domain/limits.ts'
import { FORMATS_OF_OUTPUTS, METADATA_OF_OUTPUTS, OUTPUT_NAME, STILL_FORMATS_OF_OUTPUTS } from '../domain/media.ts'
import { outputOperationsSchema } from '../operations/schema.ts'
import { destination } from './destination.ts'
import type { Endpoint, FurtherSource } from './endpoint.ts'
import { operationSources } from './endpoint.ts'

export const OUTPUTS = 'outputs'

const OUTPUT_FIELDS = {
  name: z.string().regex(OUTPUT_NAME).optional().meta({
    description: 'Unique name of the file. Default: its position, such as `0`.',
  }),
  operations: outputOperationsSchema('image'),
  quality: z
    .union([z.int().min(1).max(100), z.literal('auto')])
    .optional()
    .meta({
      description:
        'Quality of jpg, webp, and avif: 1 to 100, or `auto` for the lowest quality that looks like the original.',
    }),
  max_bytes: z.int().min(MIN_MAX_BYTES).optional().meta({
    description: 'Size limit in bytes. The quality is lowered until the file fits.',
  }),
  max_bytes_resize: z.boolean().optional().meta({
    description: 'Whether the service may also reduce the width and height to meet `max_bytes`.',
  }),
  metadata: z.enum(METADATA_OF_OUTPUTS).optional().meta({
    description:
      'Metadata of the source to keep: nothing (the default), creator and rights, or all except location, orientation, and thumbnails.',
  }),
  destination: destination.optional(),
}

function outputs<const Formats extends readonly [string, ...string[]]>(id: string, formats: Formats) {
  const [first] = formats
  const format = z
    .enum(formats)
    .default(first as never)
    .meta({ description: 'Format of the file. `avif` is only available here.' })
  const element = z
    .strictObject({ ...OUTPUT_FIELDS, format })
    .meta({ id, description: 'One of several files to make.' })
  return z
    .array(element)
    .min(1)
    .max(MAX_OUTPUTS)
    .superRefine((list, context) => {
      const names = list.map(outputName)
      names.forEach((name, index) => {
        if (names.indexOf(name) === index) return
        const first = `outputs[${names.indexOf(name)}]`
        const quoted = JSON.stringify(name)
        const [path, message] =
          list[index]?.name === undefined
            ? [[index], `needs a name, because its default name ${quoted} is the name of ${first}`]
            : [[index, 'name'], `must be unique: ${first} is also named ${quoted}`]
        context.addIssue({ code: 'custom', path, message })
      })
      list.forEach(({ max_bytes, max_bytes_resize }, index) => {
        if (max_bytes_resize !== true || max_bytes !== undefined) return
        context.addIssue({ code: 'custom', path: [index, 'max_bytes_resize'], message: 'needs max_bytes' })
      })
    })
    .optional()
    .meta({
      description: 'Several files of the same source, instead of `output`. Each file costs the price of a request.',
    })
}

export const imageOutputs = outputs('ImageOutputs', FORMATS_OF_OUTPUTS)

export const stillOutputs = outputs('StillOutputs', STILL_FORMATS_OF_OUTPUTS)

export type OutputInput = NonNullable<z.output<typeof imageOutputs>>[number]

export const outputName = ({ name }: { name?: string | undefined }, index: number): string => name ?? String(index)

export function outputNames({ [OUTPUTS]: list }: Record<string, unknown>): string[] | undefined {
  return Array.isArray(list) ? list.map(outputName) : undefined
}

export function countOutputs({ [OUTPUTS]: list }: Record<string, unknown>): number {
  return Array.isArray(list) ? list.length : 1
}

export function outputSources(list: readonly OutputInput[]): FurtherSource[] {
  return list.flatMap((output, index) =>
    operationSources(output.operations).map((source) => ({
      ...source,
      param: `${OUTPUTS}.${index}.${source.param}`,
      output: outputName(output, index),
    })),
  )
}

/** Finds errors that a schema cannot express, such as a body with both `output` and `outputs`. */
export function outputsIssues({ body }: Pick<Endpoint, 'body'>, sent: object): z.core.$ZodIssue[] {
  if (!Object.hasOwn(body.shape, OUTPUTS)) return []
  const has = (name: string) => Object.hasOwn(sent, name)
  const issues: z.core.$ZodIssue[] = []
  if (has(OUTPUTS) && has('output')) {
    const message = 'cannot be combined with outputs; move its fields into each output'
    issues.push({ code: 'custom', path: ['output'], message, params: { code: 'invalid_value' } })
  }
  if (Object.hasOwn(body.shape, 'operations') && !has(OUTPUTS) && !has('operations')) {
    issues.push({ code: 'invalid_type', expected: 'array', path: ['operations'], message: '' })
  }
  return issues
}
