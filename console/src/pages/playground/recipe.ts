import type { MediaRequest } from '../../api/objects.ts'
import type { EarlierCall } from './earlier/earlier-call.ts'
import { readEarlier } from './earlier/earlier-call.ts'
import { endpointNamed } from './endpoints.ts'

export type Operation = { type: string } & Record<string, unknown>

/** What the playground sends, as it stands in the address: a link is a recipe. */
export type Recipe = {
  endpoint?: string
  source?: string
  operations?: Operation[]
  format?: string
  /** The endpoint's own numbers: `seconds`, `page`, `max_duration`, `max_pages`. */
  numbers?: Record<string, number>
  /** Calls that are made first, where the recipe needs what they give. */
  earlier?: EarlierCall[]
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isOperation = (value: unknown): value is Operation => isObject(value) && typeof value['type'] === 'string'

/** Reads a recipe from an address, and leaves out whatever is none. */
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

/** The recipe that makes the same request again. */
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

/** The body of the call that a recipe stands for. */
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
