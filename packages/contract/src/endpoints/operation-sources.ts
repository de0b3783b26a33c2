import type { OperationInput } from '../operations/schema.ts'
import { assetsOf } from '../operations/schema.ts'
import type { FurtherSource } from './endpoint.ts'

export function operationSources(operations: readonly OperationInput[]): FurtherSource[] {
  return assetsOf(operations).map(({ operation, param, url }) => ({
    param: `operations.${operation}.${param}`,
    url,
    operation,
  }))
}
