import type { ApiErrorCode, ConsoleErrorCode, FailureCode } from '@mediamill/contract/domain/errors'
import { API_ERRORS, CONSOLE_ERRORS, ERROR_TYPES, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import { ERROR_FIXES, ERROR_MEANINGS, FAILURE_MEANINGS } from './error-texts.ts'
import { REJECTION_EXAMPLES } from './rejection-examples.ts'

const ALL_CODES = [...new Set([...(Object.keys(API_ERRORS) as ApiErrorCode[]), ...FAILURE_CODES])]

/** Returns the content of docs/errors.md. */
export function errorsMarkdown(): string {
  return `# Error codes
This page lists every error code with its meaning, an example of its message, and its fix. Branch on \`error.code\`, which is stable, and not on
\`error.message\`, which is for people. The format of an error is in [the API reference](reference/errors.md).

${ALL_CODES.map(sectionOf).join('\n\n')}

${consoleSections()}
`
}

function sectionOf(code: ApiErrorCode | FailureCode): string {
  const parts = [
    `## ${code}`,
    ...(isRejection(code) ? rejection(code) : []),
    ...(isFailure(code) ? [`As the code of a failed request, which is not charged: ${FAILURE_MEANINGS[code]}`] : []),
    `**Fix.** ${ERROR_FIXES[code]}`,
  ]
  return parts.join('\n\n')
}

const isRejection = (code: string): code is ApiErrorCode => Object.hasOwn(API_ERRORS, code)
const isFailure = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code)

function rejection(code: ApiErrorCode): string[] {
  const status = API_ERRORS[code]
  return [
    `Status ${status}, type \`${ERROR_TYPES[status]}\`. ${ERROR_MEANINGS[code]}`,
    `> ${REJECTION_EXAMPLES[code]().message}`,
  ]
}

const CONSOLE_MEANINGS: Record<ConsoleErrorCode, string> = {
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

function consoleSections(): string {
  const codes = Object.keys(CONSOLE_ERRORS) as ConsoleErrorCode[]
  return codes
    .map((code) => `## ${code}\nIn the console, with status ${CONSOLE_ERRORS[code]}. ${CONSOLE_MEANINGS[code]}`)
    .join('\n\n')
}
