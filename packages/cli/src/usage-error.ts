import { OperatorError } from '@mediamill/contract/domain/errors'

/** The command starts nothing, and exits with code 2. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** The command exits with code 130. */
export class InterruptedError extends OperatorError {
  override name = 'InterruptedError'

  constructor() {
    super('stopped')
  }
}
