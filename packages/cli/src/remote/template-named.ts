import { OperatorError } from '@mediamill/contract/domain/errors'

/** Waits for a call with the name of a template. If the template does not exist, throws an error with the next step. */
export async function templateNamed<T>(name: string, call: PromiseLike<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const { ApiError } = await import('@mediamill/sdk/src/errors/api-error')
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
    const message = `There is no template ${name} in this account. To list its templates, run mediamill templates list.`
    throw new OperatorError(message, { cause: error })
  }
}
