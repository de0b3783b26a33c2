import type { SourceErrorCode } from '@mediamill/contract/domain/errors'
import { ApiError } from '@mediamill/contract/domain/errors'
import { isUploadId, isUploadSource, uploadIdOf, uploadSource } from '@mediamill/contract/domain/uploads'
import { isOver } from '@mediamill/contract/endpoints/destination'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { inBodyOrder } from '@mediamill/contract/endpoints/field-errors'
import type { ValidBody } from '@mediamill/contract/endpoints/validation'
import { formatParam, quoteText } from '@mediamill/contract/lib/format-text'
import type { Caller } from '../../accounts/authenticate.ts'
import { checkOwnSources } from '../../uploads/stored-source.ts'
import type { ApiContext } from '../api-context.ts'

export function urlsRejected(rejected: readonly { param: string; code: SourceErrorCode; message: string }[]): ApiError {
  const errors = rejected.map(({ param, code, message }) => ({
    param,
    code,
    message: `${formatParam(param)}: ${message}`,
  }))
  const [first] = errors
  if (first === undefined) throw new RangeError('no URL was rejected')
  return new ApiError(first.code, first.message, { param: first.param, errors })
}

/**
 * Checks all sources and URLs of a body. Throws one error for all invalid sources and URLs, in the order of `sent`, the
 * body before its validation (sources.urls.5). Skips `ownFiles`, the files of the form.
 */
export async function checkSources(
  api: ApiContext,
  caller: Caller,
  endpoint: Endpoint,
  body: ValidBody & { sent: unknown },
  ownFiles: readonly { id: string }[] = [],
): Promise<{ id: string; param: string }[]> {
  const source = { param: 'source', url: body.source }
  const further = endpoint.sources?.(body.parameters) ?? []
  const hooks = body.webhookUrl === null ? [] : [{ param: 'webhook_url', url: body.webhookUrl }]
  const own = new Set(ownFiles.map(({ id }) => uploadSource(id)))
  const files = [source, ...further].filter(({ url }) => !own.has(url))
  const checkSource = await sourceChecker(
    api,
    caller,
    files.map(({ url }) => url),
  )
  const checkFile = async (url: string) => (own.has(url) ? OK : await checkSource(url))
  const checkHook = async (url: string) => withListenHint(await api.checkUrl(url))
  const checkDestination = async (url: string) => (isOver(url, new Date()) ? OVER : await api.checkUrl(url))
  const verdicts = await Promise.all([
    ...verdictsOf([source], checkFile),
    ...verdictsOf(hooks, checkHook),
    ...verdictsOf(further, checkFile),
    ...verdictsOf(body.destinations, checkDestination),
  ])
  const errors = verdicts.flatMap(({ param, verdict }) => (verdict.ok ? [] : [{ param, ...verdict }]))
  if (errors.length > 0) throw urlsRejected(inBodyOrder(body.sent, errors, ({ param }) => param.split('.')))
  return files.filter(({ url }) => isUploadSource(url)).map(({ param, url }) => ({ param, id: uploadIdOf(url) ?? '' }))
}

const verdictsOf = (urls: readonly { param: string; url: string }[], check: (url: string) => Promise<Verdict>) =>
  urls.map(async ({ param, url }) => ({ param, verdict: await check(url) }))

type Verdict = { ok: true } | { ok: false; code: SourceErrorCode; message: string; isByOperator?: true }

export async function sourceChecker(
  api: Pick<ApiContext, 'sql' | 'links' | 'isSample' | 'checkUrl'>,
  { account, livemode }: Pick<Caller, 'account' | 'livemode'>,
  sources: readonly string[],
): Promise<(source: string) => Promise<Verdict>> {
  const own = await checkOwnSources(api.sql, api.links, { accountId: account.id, livemode }, sources)
  return async (source) => {
    if (api.isSample(source)) return OK
    return own.get(source) ?? withNextStep(await api.checkUrl(source), source)
  }
}

const withListenHint = (verdict: Verdict): Verdict =>
  verdict.ok || verdict.isByOperator === true || verdict.code !== 'url_blocked'
    ? verdict
    : { ...verdict, message: `${verdict.message} To receive events on your machine, use mediamill listen.` }

function withNextStep(verdict: Verdict, text: string): Verdict {
  if (verdict.ok || verdict.isByOperator === true) return verdict
  const hint = verdict.code === 'url_blocked' ? `If it cannot be public: ${UPLOAD_FIRST}` : hintFor(text)
  return hint === undefined ? verdict : { ...verdict, message: `${verdict.message} ${hint}` }
}

function hintFor(text: string): string | undefined {
  if (isUploadId(text)) return `Send an upload as ${uploadSource(text)}.`
  const [scheme] = /^[a-z][a-z0-9+.-]+(?=:)/i.exec(text) ?? []
  switch (scheme?.toLowerCase() ?? '') {
    case 'http':
    case 'https':
      return undefined
    case 's3':
    case 'gs':
    case 'r2':
      return 'Send a presigned https URL of the object.'
    case 'data':
    case 'blob':
    case 'file':
      return `${scheme}: URLs are not supported: ${UPLOAD_FIRST}`
    default:
      if (text.includes('://')) return undefined
      // Matches `example.com/photo.jpg`. Does not match the file name `photo.jpg`.
      return /^(?:[a-z0-9-]+\.)+[a-z]{2,}\/\S/i.test(text)
        ? `Did you mean https://${quoteText(text).slice(1, -1)}?`
        : `To use a local file, ${UPLOAD_FIRST}`
  }
}

const UPLOAD_FIRST = 'send its bytes to POST /v1/uploads, and use the source that it returns.'

const OK = { ok: true } as const

const OVER = {
  ok: false,
  code: 'url_invalid',
  message: 'The signed URL has expired. Create a new signed URL.',
} as const
