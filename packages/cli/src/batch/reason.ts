import { OperatorError } from '@mediamill/contract/domain/errors'

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = ''] = error.message.split('\n')
  return line
}

export function presentError(error: unknown): object {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const operation = error instanceof Error && 'operation' in error ? error.operation : undefined
  return {
    code: code ?? (error instanceof OperatorError ? 'not_done' : 'error'),
    message: reasonOf(error),
    ...(typeof operation === 'number' && { operation }),
  }
}
