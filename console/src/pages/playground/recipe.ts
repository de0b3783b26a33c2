import type { MediaRequest } from '../../api/objects.ts'
import type { EarlierCall } from './earlier/earlier-call.ts'
import { readEarlier } from './earlier/earlier-call.ts'
import { endpointNamed } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { isObject, isOperation } from './operation.ts'

/** An output of a recipe. It keeps fields that the page does not show. */
export type Output = {
  name?: string | undefined
  format?: string | undefined
  operations?: Operation[] | undefined
} & Record<string, unknown>

export type Recipe = {
  endpoint?: string
  source?: string
  operations?: Operation[]
  format?: string
  level?: string
  outputs?: Output[]
  numbers?: Record<string, number>
  earlier?: EarlierCall[]
}

const readOutput = ({ name, format, operations, ...others }: Record<string, unknown>): Output => ({
  ...(typeof name === 'string' ? { name } : {}),
  ...(typeof format === 'string' ? { format } : {}),
  ...(Array.isArray(operations) ? { operations: operations.filter(isOperation) } : {}),
  ...others,
})

export function readRecipe(search: Record<string, unknown>): Recipe {
  const { endpoint, source, operations, format, level, outputs, numbers } = search
  const earlier = readEarlier(search['earlier'])
  return {
    ...(typeof endpoint === 'string' ? { endpoint } : {}),
    ...(typeof source === 'string' ? { source } : {}),
    ...(Array.isArray(operations) ? { operations: operations.filter(isOperation).slice(0, 20) } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof level === 'string' ? { level } : {}),
    ...(Array.isArray(outputs) ? { outputs: outputs.filter(isObject).slice(0, 20).map(readOutput) } : {}),
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

export function recipeOf(request: Pick<MediaRequest, 'endpoint' | 'source' | 'input'>): Recipe {
  const { operations, output, outputs, ...others } = request.input as Record<string, unknown>
  return readRecipe({
    endpoint: request.endpoint,
    source: request.source,
    operations: operations ?? (outputs === undefined ? undefined : []),
    outputs,
    format: isObject(output) ? output['format'] : undefined,
    level: others['level'],
    numbers: others,
  })
}

export function bodyOf(recipe: Recipe): Record<string, unknown> {
  const endpoint = endpointNamed(recipe.endpoint)
  const numbers = Object.entries(recipe.numbers ?? {}).filter(([name]) =>
    endpoint.numbers.some((number) => number.name === name),
  )
  const { operations = [], outputs = [] } = recipe
  const isSeveral = endpoint.takesOutputs && outputs.length > 0
  return {
    source: recipe.source ?? '',
    ...(endpoint.takesOperations && !(isSeveral && operations.length === 0) ? { operations } : {}),
    ...(isSeveral ? { outputs } : {}),
    ...(!isSeveral && recipe.format !== undefined && endpoint.formats.includes(recipe.format)
      ? { output: { format: recipe.format } }
      : {}),
    ...(recipe.level !== undefined && endpoint.levels?.includes(recipe.level) === true ? { level: recipe.level } : {}),
    ...Object.fromEntries(numbers),
  }
}
