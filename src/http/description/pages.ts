import { describeInterface } from './document.ts'
import type { Json } from './json-schema.ts'

/**
 * The description as the pages for people show it. They sort answers by status and open the first one, so a replay, which
 * is 200, would hide the 202 that a first call gets: it is told there in words. They lead to the developer area, if there is one.
 */
export function describeForPages(baseUrl: string, hasConsole: boolean): Json {
  const description = describeInterface(baseUrl)
  const info = description['info'] as { description: string }
  if (hasConsole) info.description = `${wayToConsole(baseUrl)}\n\n${info.description}`
  const operations = Object.values(description['paths'] as Record<string, Record<string, Operation>>).flatMap(
    (methods) => Object.values(methods),
  )
  for (const { responses } of operations) {
    const { 200: replayed, 202: accepted } = responses
    if (replayed === undefined || accepted === undefined) continue
    accepted.description += ` Or 200: ${replayed.description}`
    delete responses[200]
  }
  return description
}

const wayToConsole = (baseUrl: string) =>
  `[**Developer area**](${baseUrl}/console/): sign in to see your requests, try operations, and make keys.`

type Operation = { responses: Record<number, { description: string }> }
