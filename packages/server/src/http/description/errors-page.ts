import type { ApiErrorCode, FailureCode } from '@mediamill/contract/domain/errors'
import { API_ERRORS, ERROR_TYPES, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import { consoleSections } from './console-error-texts.ts'
import { ERROR_FIXES, ERROR_MEANINGS, FAILURE_MEANINGS } from './error-texts.ts'
import { REJECTION_EXAMPLES } from './rejection-examples.ts'

const ALL_CODES = [...new Set([...(Object.keys(API_ERRORS) as ApiErrorCode[]), ...FAILURE_CODES])]

export function errorsMarkdown(): string {
  return `# Error codes
Every error code and its fix. Branch on \`error.code\`, which is stable. \`error.message\` is for people and names the mistake in
the call. \`error.doc_url\` leads to the section of the code on this page. The format of an error is in
[the API reference](reference/errors.md).

${ALL_CODES.map(sectionOf).join('\n\n')}

${consoleSections()}
`
}

function sectionOf(code: ApiErrorCode | FailureCode): string {
  const parts = [
    `## ${code}`,
    ...(isRejection(code) ? rejection(code) : []),
    ...(isFailure(code) ? [`As the code of a failed request, which is not charged: ${FAILURE_MEANINGS[code]}`] : []),
    `**What to do.** ${ERROR_FIXES[code]}`,
  ]
  return parts.join('\n\n')
}

const isRejection = (code: string): code is ApiErrorCode => Object.hasOwn(API_ERRORS, code)
const isFailure = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code)

function rejection(code: ApiErrorCode): string[] {
  const status = API_ERRORS[code]
  return [
    `The response has status ${status} and type \`${ERROR_TYPES[status]}\`. ${ERROR_MEANINGS[code]}`,
    `> ${REJECTION_EXAMPLES[code]().message}`,
  ]
}
