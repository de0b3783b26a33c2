import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import { processingRoute } from '../../contract/routes/process.ts'
import type { UrlErrorCode } from '../../domain/errors.ts'
import { ApiError } from '../../domain/errors.ts'
import { MAX_IDEMPOTENCY_KEY_LENGTH, TEST_REQUESTS_PER_DAY } from '../../domain/limits.ts'
import type { MediaRequest } from '../../domain/request.ts'
import { isOver } from '../../endpoints/destination.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import { ENDPOINTS } from '../../endpoints/index.ts'
import type { ValidBody } from '../../endpoints/validation.ts'
import { validateBody, validationFailed } from '../../endpoints/validation.ts'
import { accept, insufficientCredits, testModeDailyLimit } from '../../requests/accept.ts'
import { find } from '../../requests/find.ts'
import type { KeyHold } from '../../requests/idempotency.ts'
import { fingerprintOf, hold, releaseKey } from '../../requests/idempotency.ts'
import { present } from '../../requests/present.ts'
import { traced } from '../../runtime/telemetry/trace.ts'
import { awaitEnd } from '../await-end.ts'
import type { Door } from '../door.ts'
import type { HeldCalls } from '../held-calls.ts'
import { waitSecondsOf } from '../prefer.ts'
import type { RouteCall } from '../serve-route.ts'
import { serveRoute } from '../serve-route.ts'

type ProcessingCall = RouteCall<ReturnType<typeof processingRoute>>

/** Serves the eight processing endpoints with one handler; each is its declaration (Spec 4.1, 4.2). */
export function serveProcessing(app: FastifyInstance, door: Door, held: HeldCalls): void {
  for (const endpoint of ENDPOINTS) {
    serveRoute(app, processingRoute(endpoint), async (call, reply) => {
      const seconds = waitSecondsOf(call)
      const { request, isReplay } = await process(door, endpoint, call, reply, seconds !== undefined)
      const shown = await awaitEnd(door, held, { caller: call.caller, reply, seconds }, request, !isReplay)
      if (!isReplay && !('completedAt' in shown)) {
        reply.code(202).header('location', `${pathOf(door.links.baseUrl)}/v1/requests/${shown.id}`)
      }
      return present(shown, door.links)
    })
  }
}

/** The path under which a proxy shows the service, without a slash at its end. */
const pathOf = (baseUrl: string) => new URL(baseUrl).pathname.replace(/\/$/, '')

/** A request that a call has started, or had started before. */
type Started = { request: MediaRequest; isReplay: boolean }

/** The order of checks of rulings 4, from the JSON body on: key, suspension and pace were judged before it was read. */
async function process(
  door: Door,
  endpoint: Endpoint,
  call: ProcessingCall,
  reply: FastifyReply,
  awaited: boolean,
): Promise<Started> {
  const { caller } = call
  const key = idempotencyKeyOf(call)
  if (key === undefined) return await start(door, endpoint, call, null, awaited)
  const scope = { accountId: caller.account.id, livemode: caller.livemode, key }
  const found = await hold(door.sql, scope, fingerprintOf('POST', `/v1/${endpoint.name}`, call.body))
  if ('replayOf' in found) {
    reply.header('idempotent-replayed', 'true')
    const request = await find(door.sql, caller.account.id, found.replayOf)
    await door.durable(request)
    return { request, isReplay: true }
  }
  try {
    return await start(door, endpoint, call, found.hold, awaited)
  } catch (error) {
    await releaseKey(door.sql, scope, found.hold.holder)
    throw error
  }
}

async function start(
  door: Door,
  endpoint: Endpoint,
  call: ProcessingCall,
  idempotency: KeyHold | null,
  awaited: boolean,
): Promise<Started> {
  const { caller } = call
  const body = await judge(door, endpoint, caller, call.body, 'start')
  const request = await traced(call.span, 'accept', async (span) => {
    const accepted = await accept(door.sql, {
      ...body,
      destination: body.destination && door.sealDestination(caller.account.id, body.destination),
      accountId: caller.account.id,
      livemode: caller.livemode,
      limits: caller.limits,
      endpoint,
      idempotency,
      trace: span?.headers ?? null,
      awaited,
    })
    call.log.debug(
      { request_id: accepted.id, account_id: caller.account.id },
      `${accepted.id} ${endpoint.name} accepted`,
    )
    span?.note({ request_id: accepted.id, account_id: caller.account.id, endpoint: endpoint.name })
    return accepted
  })
  door.wakeWorkers(endpoint.lane)
  await door.durable(request)
  return { request, isReplay: false }
}

/** Judges a call in the order of rulings 4; an estimate does not meet the limits of what is started (rulings 16). */
export async function judge(
  door: Door,
  endpoint: Endpoint,
  caller: Caller,
  sent: unknown,
  purpose: 'start' | 'estimate',
): Promise<ValidBody> {
  const body = validateBody(endpoint, sent)
  if (endpoint.paidOnly && caller.account.tier !== 'paid') throw paidAccountRequired()
  if (purpose === 'start') checkLimits(endpoint, caller)
  await checkUrls(door, endpoint, body)
  return body
}

function checkLimits(endpoint: Endpoint, caller: Caller): void {
  if (!caller.livemode && caller.testAcceptedToday >= TEST_REQUESTS_PER_DAY) throw testModeDailyLimit()
  if (caller.livemode && caller.available < endpoint.price) throw insufficientCredits(endpoint.price, caller)
}

/** Says what is wrong with the URLs of fields: the first in the error itself, all of them in its list (Spec 7.1). */
export function urlsRefused(refused: readonly { param: string; code: UrlErrorCode; message: string }[]): ApiError {
  const errors = refused.map(({ param, code, message }) => ({ param, code, message: `${param}: ${message}` }))
  const [first] = errors
  if (first === undefined) throw new RangeError('no URL was refused')
  return new ApiError(first.code, first.message, { param: first.param, errors })
}

/** Judges every URL of the body at once, and refuses with every wrong one, in the order of Spec 4.1 (Spec 7.1). */
async function checkUrls(door: Door, endpoint: Endpoint, body: ValidBody): Promise<void> {
  const isForeign = ({ url }: { url: string }) => !door.isSample(url)
  const urls = [
    ...[{ param: 'source', url: body.source }].filter(isForeign),
    ...(body.webhookUrl === null ? [] : [{ param: 'webhook_url', url: body.webhookUrl }]),
    ...(endpoint.sources?.(body.parameters) ?? []).filter(isForeign),
    ...(body.destination === null ? [] : [{ param: DESTINATION, url: body.destination.url }]),
  ]
  const verdicts = await Promise.all(
    urls.map(async ({ param, url }) => ({
      param,
      verdict: param === DESTINATION && isOver(url, new Date()) ? OVER : await door.checkUrl(url),
    })),
  )
  const errors = verdicts.flatMap(({ param, verdict }) => (verdict.ok ? [] : [{ param, ...verdict }]))
  if (errors.length > 0) throw urlsRefused(errors)
}

const DESTINATION = 'output.destination.url'

const OVER = {
  ok: false,
  code: 'url_invalid',
  message: 'The URL has expired: the time that its query names is over. Sign a new one.',
} as const

export function paidAccountRequired(): ApiError {
  return new ApiError(
    'paid_account_required',
    'Videos need an account that has bought credit. Buy credit and try again.',
  )
}

/** Rulings 5. */
function idempotencyKeyOf(call: ProcessingCall): string | undefined {
  const sent = call.headers['idempotency-key']
  if (sent === undefined) return undefined
  const key = Array.isArray(sent) ? sent.join(', ') : sent
  const length = charactersOf(key)
  if (length >= 1 && length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key
  const param = 'Idempotency-Key'
  const message = `${param} must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`
  throw validationFailed([{ param, code: length === 0 ? 'too_short' : 'too_long', message }])
}

/** A header comes as bytes, one a character; those that are UTF-8 are counted as the characters they stand for. */
function charactersOf(header: string): number {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? Array.from(bytes.toString('utf8')).length : header.length
}
