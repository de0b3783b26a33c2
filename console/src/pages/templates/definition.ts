import type { Template } from '../../api/objects.ts'

export function definitionOf({ id: _id, object: _object, version: _version, created_at: _at, ...body }: Template) {
  return JSON.stringify(body, null, 2)
}

export const EXAMPLE = JSON.stringify(
  {
    name: 'product',
    endpoint: 'images/process',
    operations: [{ type: 'orient' }, { type: 'resize', width: { variable: 'width' }, height: 2000 }],
    output: { format: 'webp' },
    variables: { width: { type: 'integer', default: 800, minimum: 100, maximum: 2000 } },
  },
  null,
  2,
)

/** Returns a value for each variable, so that the call shows which values can change. */
export const exampleValues = ({ variables }: Template): Record<string, unknown> =>
  Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, exampleValue(variable)]))

function exampleValue(variable: Template['variables'][string]): unknown {
  if (variable.default !== undefined) return variable.default
  switch (variable.type) {
    case 'integer':
    case 'number':
      return variable.minimum ?? variable.maximum ?? 1
    case 'string':
      return variable.enum?.[0] ?? 'VALUE'
    case 'boolean':
      return true
  }
}

/** Inserts the values of the variables, as the service does when it runs the template. */
export const filledIn = (template: Template, values: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(template), (_key, item: unknown) => {
    const name = variableIn(item)
    return name === undefined ? item : values[name]
  }) as Record<string, unknown>

function variableIn(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('variable' in item)) return undefined
  return typeof item.variable === 'string' ? item.variable : undefined
}
