import { OperatorError } from '@mediamill/contract/domain/errors'

/** The command line is invalid. The command exits with code 2 and starts nothing. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** Ctrl-C or SIGTERM stopped the command. The command exits with code 130. */
export class InterruptedError extends OperatorError {
  override name = 'InterruptedError'

  constructor() {
    super('stopped')
  }
}
