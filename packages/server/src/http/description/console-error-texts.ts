import type { ConsoleErrorCode } from '@mediamill/contract/domain/errors'
import { CONSOLE_ERRORS } from '@mediamill/contract/domain/errors'

const MEANINGS: Record<ConsoleErrorCode, string> = {
  not_signed_in: 'The session has ended. Sign in again.',
  link_not_valid:
    'The sign-in link was used or is older than 15 minutes. Request a new link, or run `mediamill console`.',
  not_allowed:
    'This session has no permission. Keys, secrets, and settings require a sign-in link. Accounts and payments require an operator.',
  cross_site: 'The call came from another site. Only the pages of the console can make changes.',
  wrong_host:
    'The host of the call is not the host of BASE_URL. A proxy in front of the service must forward the Host header.',
  payment_unavailable:
    'The payment service is unavailable or rejected the call. No money was taken. Try again later. If the error persists, the operator finds the reason in the log.',
  conflict: 'The change conflicts with the current state. The message names the reason.',
}

export function consoleSections(): string {
  const codes = Object.keys(CONSOLE_ERRORS) as ConsoleErrorCode[]
  return codes
    .map((code) => `## ${code}\nIn the console, with status ${CONSOLE_ERRORS[code]}. ${MEANINGS[code]}`)
    .join('\n\n')
}
