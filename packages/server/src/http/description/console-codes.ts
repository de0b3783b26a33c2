import type { ConsoleErrorCode } from '@mediamill/contract/domain/errors'
import { CONSOLE_ERRORS } from '@mediamill/contract/domain/errors'

/** The meaning and the next step of each error code of the console (console.errors.1). */
const MEANINGS: Record<ConsoleErrorCode, string> = {
  not_signed_in: 'Nobody is signed in, or the session has ended. Sign in again.',
  link_not_valid:
    'The sign-in link was used, or its 15 minutes are over. Ask for a new one, or run `mediamill console`.',
  not_allowed:
    'A session of this kind may not do it: keys, secrets and settings need a link, accounts and money an operator.',
  cross_site: 'The call came from another site. Changes are made by the pages of the developer area alone.',
  wrong_host:
    'The call names another host than that of BASE_URL. A proxy before the service must pass the Host header on.',
  payment_unavailable:
    'The payment service did not answer, or it rejected the call. No money was taken. Try again later; if it stays, tell the operator to read the log.',
  conflict: 'It cannot be done as things stand; the message says why.',
}

/** Returns the sections of these codes in Markdown. */
export function consoleSections(): string {
  const codes = Object.keys(CONSOLE_ERRORS) as ConsoleErrorCode[]
  return codes
    .map((code) => `## ${code}\nIn the developer area, with status ${CONSOLE_ERRORS[code]}. ${MEANINGS[code]}`)
    .join('\n\n')
}
