import { z } from 'zod'
import { HEX_COLOR } from '../domain/color.ts'

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

export const integer = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description })

export const listOf = <Item extends z.ZodType>(id: string, item: Item, words: { page: string; more: string }) =>
  z
    .strictObject({
      object: kind('list'),
      data: z.array(item).meta({ description: words.page }),
      has_more: z.boolean().meta({ description: words.more }),
    })
    .meta({ id, description: words.page })

export const money = z
  .strictObject({
    amount: z.string().meta({ description: 'Dollars with six decimals.', examples: ['0.002000'] }),
    currency: z.literal('usd').meta({ description: 'Always `usd`.' }),
    micro_usd: z.int().meta({ description: 'Millionths of a dollar.', examples: [2000] }),
  })
  .meta({ id: 'Money', description: 'An amount of money.' })

export const color = (description: string) =>
  z
    .string()
    .regex(HEX_COLOR, 'is not a hex color such as #ff8800')
    .meta({ description: `${description} Hex: \`#rgb\`, \`#rrggbb\`, or \`#rrggbbaa\`.` })
