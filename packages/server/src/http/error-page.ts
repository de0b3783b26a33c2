import type { ApiError } from '@mediamill/contract/domain/errors'
import { SAMPLE_NAMES } from '@mediamill/contract/objects/samples'
import type { FastifyRequest } from 'fastify'
import { basePathOf } from './base-path.ts'
import { escapeHtml } from './escape-html.ts'
import { acceptedItems } from './negotiate.ts'

/** Returns whether the Accept header contains `text/html` without `q=0` (RFC 9110, section 12.5.1). */
export const wantsPage = (call: Pick<FastifyRequest, 'headers'>): boolean =>
  acceptedItems(call.headers.accept).has('text/html')

const OPENED_BY_PEOPLE = /^\/(?:docs(?:\/|$)|v1\/(?:results|files)\/)/

export const showsErrorPage = (call: Pick<FastifyRequest, 'headers' | 'url'>): boolean =>
  isOpenedByPeople(call.url) && wantsPage(call)

export const isOpenedByPeople = (url: string): boolean => OPENED_BY_PEOPLE.test(url.split('?', 1)[0] ?? '')

export const ERROR_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const TITLES: Partial<Record<ApiError['code'], string>> = {
  not_found: 'Page not found',
  result_expired: 'This file was deleted',
  invalid_signature: 'This link is not valid',
}
const ADVICE: Partial<Record<ApiError['code'], string>> = {
  not_found: 'There is no page at this address. The address may be misspelled.',
  result_expired: 'The link has expired, or the owner deleted the file. Ask the sender for a new link.',
  invalid_signature:
    'The address may be incomplete, or too old. Copy the whole link, or ask the sender for a new link.',
}

export function errorPage(
  { code, message }: Pick<ApiError, 'code' | 'message'>,
  { id, url }: Pick<FastifyRequest, 'id' | 'url'>,
  baseUrl: string,
): string {
  const title = TITLES[code] ?? 'This address cannot be opened'
  const docs = `${basePathOf(baseUrl)}/docs`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Mediamill</title>
<link rel="stylesheet" href="${escapeHtml(docs)}/assets/docs.css">
<link rel="icon" href="${escapeHtml(docs)}/assets/icon.svg" type="image/svg+xml">
</head>
<body>
<header><a class="name" href="${escapeHtml(docs)}"><img src="${escapeHtml(docs)}/assets/icon.svg" alt="" width="24" height="24"> Mediamill <span>docs</span></a></header>
<div class="columns">
<nav class="menu" aria-label="Pages"><ul><li><a href="${escapeHtml(docs)}">Documentation</a></li></ul></nav>
<main id="text">
<h1>${title}</h1>
<p>${escapeHtml(ADVICE[code] ?? message)}</p>
${url.startsWith('/docs/samples/') ? sampleLinks(escapeHtml(docs)) : ''}
<p><a href="${escapeHtml(docs)}">Read the documentation</a></p>
<p>Code: <code>${code}</code>. Request ID: <code>${escapeHtml(id)}</code>.</p>
</main>
</div>
</body>
</html>
`
}

const sampleLinks = (docs: string) =>
  `<p>The sample files:</p><ul>${SAMPLE_NAMES.map((name) => `<li><a href="${docs}/samples/${name}">${name}</a></li>`).join('')}</ul>`
