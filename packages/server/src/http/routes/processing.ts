import { isUtf8 } from 'node:buffer'
import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_IDEMPOTENCY_KEY_LENGTH, TEST_REQUESTS_PER_DAY } from '@mediamill/contract/domain/limits'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import type { Endpoint } from '@mediamill/contract/endpoints/endpoint'
import { pricesOf, unitsOf } from '@mediamill/contract/endpoints/endpoint'
import { hasOnlyFitTexts } from '@mediamill/contract/endpoints/field-errors'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { expandTemplate, referenceOf, templateCall } from '@mediamill/contract/endpoints/template'
import { hasTemplates, templateFields } from '@mediamill/contract/endpoints/template-fields'
import type { ValidBody } from '@mediamill/contract/endpoints/validation'
import { bodySchema, validateBody, validationFailed } from '@mediamill/contract/endpoints/validation'
import { processingRoute, resultTypeOf } from '@mediamill/contract/routes/processing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import { checkTemplate } from '../../accounts/restrictions.ts'
import { templateOf } from '../../accounts/templates.ts'
import { accept, insufficientCredits, OPERATORS_ADD_CREDIT, testModeDailyLimit } from '../../requests/accept.ts'
import { find } from '../../requests/find.ts'
import { fingerprintOfCall } from '../../requests/fingerprint.ts'
import type { KeyHold } from '../../requests/idempotency.ts'
import { hold, releaseKey } from '../../requests/idempotency.ts'
import { present } from '../../requests/present.ts'
import { traced } from '../../telemetry/trace.ts'
import type { FormFile } from '../../uploads/upload-receiver.ts'
import type { ApiContext } from '../api-context.ts'
import { basePathOf } from '../base-path.ts'
import { checkKeyAgain } from '../hooks/authenticate.ts'
import type { LongPolls } from '../long-polls.ts'
import { acceptsFileType } from '../negotiate.ts'
import { waitSecondsOf } from '../prefer.ts'
import type { ReceivedForm } from '../receive-form.ts'
import { receiveForm } from '../receive-form.ts'
import { sendResult } from '../send-result.ts'
import type { RouteCall } from '../serve-route.ts'
import { serveRoute } from '../serve-route.ts'
import { waitForCompletion } from '../wait-for-completion.ts'
import { checkSources } from './check-sources.ts'
import type { Receiving } from './uploads.ts'

type ProcessingCall = RouteCall<ReturnType<typeof processingRoute>>

export function serveProcessing(
  app: FastifyInstance,
  api: ApiContext,
  longPolls: LongPolls,
  receiving?: Receiving,
): void {
  for (const endpoint of ENDPOINTS) {
    app.register(async (scope) => {
      const forms = new WeakMap<object, ReceivedForm>()
      if (receiving !== undefined) {
        const shape = { ...bodySchema(endpoint).shape, ...(hasTemplates(endpoint) && templateFields) }
        scope.addContentTypeParser('multipart/form-data', async (call: FastifyRequest) => {
          const form = await receiveForm(call, shape, receiving)
          forms.set(call.raw, form)
          return form.body
        })
      }
      serveRoute(scope, processingRoute(endpoint), async (call, reply) => {
        const seconds = waitSecondsOf(call)
        const form = forms.get(call.raw)
        const { files = [] } = form ?? {}
        const drop = async () => await receiving?.receiver.dropFiles(files)
        const options = { files, isAwaited: seconds !== undefined }
        const begin = async () => {
          if (form !== undefined) await checkKeyAgain(api, call)
          return await process(api, endpoint, call, reply, options)
        }
        const { request, isReplay } = await begin().catch(async (error) => {
          await drop()
          throw error
        })
        if (isReplay) await drop()
        const shown = await waitForCompletion(api, longPolls, { caller: call.caller, reply, seconds }, request)
        if (!isReplay && seconds !== undefined && !isSettled(shown)) await api.durable(shown)
        const type = seconds === undefined ? undefined : resultTypeOf(endpoint, shown.input)
        if (type !== undefined && acceptsFileType(type, call.headers.accept) && (await sendResult(api, reply, shown)))
          return reply
        if (!isReplay && !('completedAt' in shown)) {
          reply.code(202).header('location', `${basePathOf(api.links.baseUrl)}/v1/requests/${shown.id}`)
        }
        return present(shown, api.links)
      })
    })
  }
}

/** Returns whether a worker ended the request. If so, the commit of its outcome and all earlier commits are on disk. */
const isSettled = ({ status }: MediaRequest): boolean => status === 'succeeded' || status === 'failed'

type Started = { request: MediaRequest; isReplay: boolean }

/** `files`: the files of the form. `isAwaited`: whether the call waits until the request completes. */
type StartOptions = { files: readonly FormFile[]; isAwaited: boolean }

/** Starts a request. If the Idempotency-Key was already used, returns the earlier request (api.order.1). */
async function process(
  api: ApiContext,
  endpoint: Endpoint,
  call: ProcessingCall,
  reply: FastifyReply,
  options: StartOptions,
): Promise<Started> {
  const { caller } = call
  const key = idempotencyKeyOf(call)
  if (key === undefined) return await start(api, endpoint, call, null, options)
  // A restricted key has its own idempotency keys, because it must not find or block requests of other keys.
  const ofKey = caller.onlyKeyId === null ? key : `key ${caller.onlyKeyId}: ${key}`
  const scope = { accountId: caller.account.id, livemode: caller.livemode, key: ofKey }
  const sent = { method: 'POST', path: `/v1/${endpoint.name}`, body: call.body }
  const found = await hold(api.sql, scope, await fingerprintOfCall(api.sql, scope, sent, options.files))
  if ('replayOf' in found) {
    reply.header('idempotent-replayed', 'true')
    const request = await find(api.sql, caller.account.id, found.replayOf)
    await api.durable(request)
    return { request, isReplay: true }
  }
  try {
    return await start(api, endpoint, call, found.hold, options)
  } catch (error) {
    await releaseKey(api.sql, scope, found.hold.holder)
    throw error
  }
}

async function start(
  api: ApiContext,
  endpoint: Endpoint,
  call: ProcessingCall,
  idempotency: KeyHold | null,
  { files, isAwaited }: StartOptions,
): Promise<Started> {
  const { caller } = call
  const { destinations, rename, ...body } = await validateCall(api, endpoint, caller, call.body, { files })
  const request = await traced(call.span, 'accept', async (span) => {
    const accepted = await accept(api.sql, {
      ...body,
      destination: destinations.length === 0 ? null : api.sealDestinations(caller.account.id, destinations),
      accountId: caller.account.id,
      livemode: caller.livemode,
      limits: caller.limits,
      restricted: caller.restricted,
      endpoint,
      idempotency,
      files,
      trace: span?.headers ?? null,
      callId: call.id,
    }).catch((error) => {
      throw rename(error)
    })
    call.log.debug(
      { request_id: accepted.id, account_id: caller.account.id },
      `${accepted.id} ${endpoint.name} accepted`,
    )
    span?.note({ request_id: accepted.id, account_id: caller.account.id, endpoint: endpoint.name })
    return accepted
  })
  // If the call waits, the route calls `durable` after the wait, if necessary (docs/notes/durability.md).
  if (!isAwaited) await api.durable(request)
  return { request, isReplay: false }
}

/** A validated call. If a template variable fills a field, `rename` replaces the field by the variable in errors. */
type ValidCall = ValidBody & { uploads: { id: string; param: string }[]; rename: (error: unknown) => unknown }

/** Validates a call in the order of api.order.1. Estimates skip the limits of new requests (estimates.calls.2). */
export async function validateCall(
  api: ApiContext,
  endpoint: Endpoint,
  caller: Caller,
  sent: unknown,
  purpose: Pick<StartOptions, 'files'> | 'estimate',
): Promise<ValidCall> {
  const expanded = await expand(api, endpoint, caller, sent)
  try {
    const valid = validateBody(endpoint, expanded.body)
    if (endpoint.paidOnly && caller.account.tier !== 'paid') throw paidAccountRequired()
    if (purpose !== 'estimate') checkLimits(endpoint, caller, valid.parameters)
    const files = purpose === 'estimate' ? [] : purpose.files
    const uploads = await checkSources(api, caller, endpoint, { ...valid, sent: expanded.body }, files)
    return { ...valid, input: { ...expanded.template, ...valid.input }, uploads, rename: expanded.rename }
  } catch (error) {
    throw expanded.rename(error)
  }
}

async function expand(
  { sql }: ApiContext,
  endpoint: Endpoint,
  { account, restricted }: Caller,
  sent: unknown,
): Promise<{ body: unknown; template?: { template: string }; rename: (error: unknown) => unknown }> {
  const call = templateCall(endpoint, sent)
  if (call === undefined) {
    checkTemplate(restricted, undefined)
    return { body: sent, rename: (error) => error }
  }
  const template = await templateOf(sql, account.id, call.template)
  checkTemplate(restricted, referenceOf(template))
  const { body, reference, rename } = expandTemplate(endpoint, template, call)
  return { body, template: { template: reference }, rename }
}

function checkLimits(endpoint: Endpoint, caller: Caller, parameters: Record<string, unknown>): void {
  const { minimum } = pricesOf(endpoint.price, unitsOf(endpoint, parameters))
  if (!caller.livemode && caller.testAcceptedToday >= TEST_REQUESTS_PER_DAY) throw testModeDailyLimit()
  if (caller.livemode && caller.available < minimum) throw insufficientCredits(minimum, caller, caller.restricted)
}

export function paidAccountRequired(): ApiError {
  return new ApiError(
    'paid_account_required',
    `Videos need an account that has bought credit. Buy credit and try again. ${OPERATORS_ADD_CREDIT}`,
  )
}

function idempotencyKeyOf(call: ProcessingCall): string | undefined {
  const sent = call.headers['idempotency-key']
  if (sent === undefined) return undefined
  const key = Array.isArray(sent) ? sent.join(', ') : sent
  const length = charactersOf(key)
  const param = 'Idempotency-Key'
  // An HTTP header cannot contain NUL, but an argument of an MCP tool can.
  if (!hasOnlyFitTexts(key)) {
    const message = `${param} must not contain NUL or a lone surrogate.`
    throw validationFailed([{ param, code: 'invalid_value', message }])
  }
  if (length >= 1 && length <= MAX_IDEMPOTENCY_KEY_LENGTH) return key
  const message = `${param} must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`
  throw validationFailed([{ param, code: length === 0 ? 'too_short' : 'too_long', message }])
}

/** Returns the number of characters in a header. Node reads headers as Latin-1, but clients send UTF-8. */
function charactersOf(header: string): number {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? Array.from(bytes.toString('utf8')).length : header.length
}
