import { OperatorError } from '@mediamill/contract/domain/errors'

/** The command line is invalid: the command exits with 2 and starts nothing. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** Ctrl-C or SIGTERM ended the command: it ends with 130. */
export class InterruptedError extends OperatorError {
  override name = 'InterruptedError'

  constructor() {
    super('stopped')
  }
}
