import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Account } from '@mediamill/sdk/src/api-types'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'

export async function retrieveAccount(service: Mediamill, options?: { signal: AbortSignal }): Promise<Account> {
  try {
    return await service.account.retrieve({ ...options, maxRetries: 1 })
  } catch (error) {
    const { ApiError } = await import('@mediamill/sdk/src/errors/api-error')
    if (!(error instanceof ApiError) || error.code !== 'key_restricted') throw error
    throw new OperatorError(
      `${error.message} This command needs a key that can read the account: without create_only, and with account in its endpoints.`,
    )
  }
}
