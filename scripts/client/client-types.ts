import type { Schema, Schemas } from './print-types.ts'
import { printQuery, printTypes } from './print-types.ts'

type Parameter = { $ref?: string; name: string; in: string; description: string; schema: Schema }

type Description = {
  paths: Record<string, Record<string, { operationId: string; security?: unknown[]; parameters?: Parameter[] }>>
  components: { schemas: Schemas }
}

export function clientTypes(description: Description): string {
  const queries = Object.values(description.paths)
    .flatMap((path) => Object.values(path))
    // Skip calls with signed links. Clients never build such a link, so its query needs no type.
    .filter(({ security }) => security?.length !== 0)
    .flatMap(({ operationId, parameters = [] }) => {
      const fields = parameters.filter((parameter) => parameter.in === 'query')
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
      return fields.length === 0 ? [] : [printQuery(name, fields)]
    })
  return [
    '// Written by scripts/write-client-types.ts from docs/openapi.json: change that, not this.',
    "import type { MediaSource } from './files/media-source.ts'",
    ...printTypes(description.components.schemas),
    ...queries,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
