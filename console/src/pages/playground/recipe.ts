import type { MediaRequest } from '../../api/objects.ts'
import type { EarlierCall } from './earlier/earlier-call.ts'
import { readEarlier } from './earlier/earlier-call.ts'
import { endpointNamed } from './endpoints.ts'

export type Operation = { type: string } & Record<string, unknown>

/** A request of the playground as it is stored in the URL. */
export type Recipe = {
  endpoint?: string
  source?: string
  operations?: Operation[]
  format?: string
  /** The endpoint's number parameters: `seconds`, `page`, `max_duration`, `max_pages`. */
  numbers?: Record<string, number>
  /** Calls that run first, because the recipe uses their results. */
  earlier?: EarlierCall[]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isOperation = (value: unknown): value is Operation => isObject(value) && typeof value['type'] === 'string'

/** Reads a recipe from a URL, and omits invalid values. */
export function readRecipe(search: Record<string, unknown>): Recipe {
  const { endpoint, source, operations, format, numbers } = search
  const earlier = readEarlier(search['earlier'])
  return {
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(typeof source === 'string' ? { source } : {}),
    ...(Array.isArray(operations) ? { operations: operations.filter(isOperation).slice(0, 20) } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(isObject(numbers)
      ? {
          numbers: Object.fromEntries(
            Object.entries(numbers).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
          ),
        }
      : {}),
    ...(earlier.length === 0 ? {} : { earlier }),
  }
}

/** The recipe that repeats a request. */
export function recipeOf(request: MediaRequest): Recipe {
  const { operations, output, ...others } = request.input as Record<string, unknown>
  return readRecipe({
    endpoint: request.endpoint,
    source: request.source,
    operations,
    format: isObject(output) ? output['format'] : undefined,
    numbers: others,
  })
}

/** The request body of a recipe. */
export function bodyOf(recipe: Recipe): Record<string, unknown> {
  const endpoint = endpointNamed(recipe.endpoint)
  const numbers = Object.entries(recipe.numbers ?? {}).filter(([name]) =>
    endpoint.numbers.some((number) => number.name === name),
  )
  return {
    source: recipe.source ?? '',
    ...(endpoint.takesOperations ? { operations: recipe.operations ?? [] } : {}),
    ...(recipe.format !== undefined && endpoint.formats.includes(recipe.format)
      ? { output: { format: recipe.format } }
      : {}),
    ...Object.fromEntries(numbers),
  }
}
