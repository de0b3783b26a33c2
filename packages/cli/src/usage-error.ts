import { OperatorError } from '@mediamill/contract/domain/errors'

/** A wrong use of a command. The command starts nothing, and exits with code 2. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** The user interrupted the command. It exits with code 130. */
export class InterruptedError extends OperatorError {
  override name = 'InterruptedError'

  constructor() {
    super('stopped')
  }
}
