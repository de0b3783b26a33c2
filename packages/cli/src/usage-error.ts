import { OperatorError } from '@mediamill/contract/domain/errors'

/** What was typed cannot be meant: the command ends with 2, and nothing was begun. */
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
