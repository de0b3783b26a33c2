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
