import { z } from 'zod'
import { kind } from './fields.ts'

/** Returns the schema of a page of a list (api.lists.1). `id` is its name in the OpenAPI document. */
export const listOf = <Item extends z.ZodType>(id: string, item: Item, words: { page: string; more: string }) =>
  z
    .strictObject({
      object: kind('list'),
      data: z.array(item).meta({ description: words.page }),
      has_more: z.boolean().meta({ description: words.more }),
    })
    .meta({ id, description: words.page })
