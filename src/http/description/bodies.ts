import type { Endpoint } from '../../endpoints/endpoint.ts'
import { ENDPOINTS } from '../../endpoints/index.ts'
import { bodySchema } from '../../endpoints/validation.ts'
import { OPERATIONS } from '../../operations/index.ts'
import { supports } from '../../operations/operation.ts'
import { operationWithType } from '../../operations/schema.ts'
import type { Json } from './json-schema.ts'
import { answeredSchema, pascalCase, ref, sentSchema } from './json-schema.ts'

/** The schemas that follow from the declarations: each endpoint's body and facts, each operation. */
export function declaredSchemas(): Json {
  const operations = OPERATIONS.map((operation) => [
    operationSchemaName(operation.name),
    sentSchema(operationWithType(operation)),
  ])
  const bodies = ENDPOINTS.map((endpoint) => [`${pascalCase(endpoint.name)}Body`, endpointBody(endpoint)])
  const data = ENDPOINTS.map((endpoint) => [
    `${pascalCase(endpoint.name)}Data`,
    { title: `result.data of ${endpoint.name}`, ...answeredSchema(endpoint.data) },
  ])
  return Object.fromEntries([...bodies, ...operations, ...data])
}

const operationSchemaName = (name: string) => `${pascalCase(name)}Operation`

/** The endpoint's body, with its operations by reference: they are the same wherever they are taken. */
function endpointBody(endpoint: Endpoint): Json {
  const schema = sentSchema(bodySchema(endpoint))
  const properties = schema['properties'] as Record<string, Json>
  const { operations } = properties
  if (operations === undefined) return schema
  const taken = OPERATIONS.filter((operation) => supports(operation, endpoint.media))
  const references = taken.map(({ name }) => [name, ref(operationSchemaName(name)).$ref] as const)
  const items = {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(references) },
  }
  return { ...schema, properties: { ...properties, operations: { ...operations, items } } }
}
