import { z } from 'zod'

/** A time as answers show it: ISO 8601 in UTC, with milliseconds (rulings 14). */
export const timestamp = (description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({ format: 'date-time', description })

/** A calendar date in UTC. */
export const date = (description: string) => z.iso.date().meta({ description })

/** A URL in an answer. */
export const url = (description: string) => z.string().meta({ format: 'uri', description })

/** The field `object` of every object: which kind it is. */
export const kind = <const Name extends string>(name: Name) =>
  z.literal(name).meta({ description: `Always \`${name}\`.` })

/** The id of something, in a path or a field. */
export const id = (description: string, example: number) => z.int().meta({ description, examples: [example] })

/** A query parameter: an integer within inclusive bounds. */
export const integerBetween = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })
