import { didYouMean } from '@mediamill/contract/lib/did-you-mean'
import { quoteText } from '@mediamill/contract/lib/format-text'
import type { z } from 'zod'
import { isDeclared } from './query.ts'

/** Query parameters of other services, and the parameters of this API that have the same purpose. */
const MEANT: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    offset: ['before', 'after'],
    page: ['before', 'after'],
    skip: ['before', 'after'],
    cursor: ['before', 'after'],
    starting_after: ['before', 'after'],
    per_page: ['limit'],
    page_size: ['limit'],
    count: ['limit'],
    state: ['status'],
    since: ['created_from', 'from'],
    until: ['created_to', 'to'],
  }),
)

const MAX_NAMED = 3

/** Returns the header `Mediamill-Warning`, which lists the undeclared parameters of a call (api.query.1). */
export function unknownQueryWarning(query: object, schema: z.ZodObject): string | undefined {
  const unknown = Object.keys(query).filter((name) => !isDeclared(schema, name))
  if (unknown.length === 0) return undefined
  const known = Object.keys(schema.shape)
  return unknown
    .slice(0, MAX_NAMED)
    .map((name) => {
      const meant = MEANT.get(name.toLowerCase())?.find((one) => known.includes(one)) ?? didYouMean(name, known)
      const warning = `unknown query parameter ${inAscii(quoteText(name))} was ignored`
      return meant === undefined ? warning : `${warning}; use "${meant}"`
    })
    .join(', ')
}

const inAscii = (text: string) => text.replaceAll(/[^ -~]/gu, '?')
