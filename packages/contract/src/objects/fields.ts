import { z } from 'zod'

/** Returns the schema of a time in responses: ISO 8601 in UTC, with milliseconds (api.json.1). */
export const timestamp = (description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({ format: 'date-time', description })

export const date = (description: string) => z.iso.date().meta({ description })

export const url = (description: string) => z.string().meta({ format: 'uri', description })

export const kind = <const Name extends string>(name: Name) =>
  z.literal(name).meta({ description: `Always \`${name}\`.` })

export const id = (description: string, example: number) => z.int().meta({ description, examples: [example] })

export const integerBetween = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })
