import { OperatorError } from '@mediamill/contract/domain/errors'

/** The command line is invalid. Exit code 2; nothing is started. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** Ctrl-C or SIGTERM stopped the command. Exit code 130. */
export class InterruptedError extends OperatorError {
  override name = 'InterruptedError'

  constructor() {
    super('stopped')
  }
}
