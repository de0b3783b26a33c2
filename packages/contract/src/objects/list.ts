import { z } from 'zod'
import { kind } from './fields.ts'

export const listOf = <Item extends z.ZodType>(id: string, item: Item, words: { page: string; more: string }) =>
  z
    .strictObject({
      object: kind('list'),
      data: z.array(item).meta({ description: words.page }),
      has_more: z.boolean().meta({ description: words.more }),
    })
    .meta({ id, description: words.page })
