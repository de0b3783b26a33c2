import { CODES_PATH } from '../../domain/doc-url.ts'
import type { ApiErrorCode, FailureCode } from '../../domain/errors.ts'
import { API_ERRORS, ERROR_TYPES, FAILURE_CODES } from '../../domain/errors.ts'
import { CODE_MEANINGS, FAILURE_MEANINGS, WAYS_OUT } from './codes.ts'
import { REFUSAL_EXAMPLES } from './refusal-examples.ts'

/** Every code that a call can be refused or a request can fail with, once. */
export const ALL_CODES = [...new Set([...(Object.keys(API_ERRORS) as ApiErrorCode[]), ...FAILURE_CODES])]

/**
 * Writes the page that every `doc_url` leads to. It has a section for each code, under the code itself as its anchor.
 *
 * It needs no script, so that the anchor is there for programs and for browsers without one.
 */
export function errorsPage(baseUrl: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mediamill: codes of errors</title>
<style>${STYLE}</style>
<h1>Codes of errors</h1>
<p>Branch on <code>error.code</code>: it is stable. <code>error.message</code> is for people, and says of the very call what
was wrong. Every error leads to its section here by <code>error.doc_url</code>. <a href="${baseUrl}/docs">All pages</a></p>
<nav>${ALL_CODES.map((code) => `<a href="#${code}">${code}</a>`).join(' ')}</nav>
${ALL_CODES.map((code) => section(baseUrl, code)).join('\n')}
</html>
`
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#222;background:#fff}' +
  'code,h2{font-family:ui-monospace,monospace}code{font-size:.9em}h2{font-size:1.1em;margin:2em 0 .3em}' +
  'h2 a{color:inherit;text-decoration:none}p{margin:.3em 0}section:target{background:#fff6d6;outline:.5em solid #fff6d6}' +
  'nav a{margin-right:.8em;white-space:nowrap}blockquote{margin:.3em 0;padding-left:.8em;border-left:3px solid #ccc;color:#555}' +
  '@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}blockquote{color:#aaa}' +
  'section:target{background:#3a3410;outline-color:#3a3410}}'

function section(baseUrl: string, code: ApiErrorCode | FailureCode): string {
  const parts = [
    ...(isRefusal(code) ? refusal(code) : []),
    ...(isFailure(code) ? [`<p>A request ends <code>failed</code>, free. ${inHtml(FAILURE_MEANINGS[code])}</p>`] : []),
    `<p><b>What to do.</b> ${inHtml(WAYS_OUT[code])}</p>`,
  ]
  const address = `${baseUrl}${CODES_PATH}#${code}`
  return `<section id="${code}">\n<h2><a href="${address}">${code}</a></h2>\n${parts.join('\n')}\n</section>`
}

const isRefusal = (code: string): code is ApiErrorCode => Object.hasOwn(API_ERRORS, code)
const isFailure = (code: string): code is FailureCode => (FAILURE_CODES as readonly string[]).includes(code)

function refusal(code: ApiErrorCode): string[] {
  const status = API_ERRORS[code]
  return [
    `<p>A call is answered with status ${status}, type <code>${ERROR_TYPES[status]}</code>. ${inHtml(CODE_MEANINGS[code])}</p>`,
    `<blockquote>${inHtml(REFUSAL_EXAMPLES[code]().message)}</blockquote>`,
  ]
}

/** Text as HTML, with what stands between backticks as code. */
function inHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
