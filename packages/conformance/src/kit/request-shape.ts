import { equal, match, ok } from './expect.ts'
import type { Json } from './json.ts'

const STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'aborted']
const FAILURES = [
  'url_blocked',
  'url_invalid',
  'url_unresolvable',
  'source_unreachable',
  'source_too_large',
  'unsupported_media',
  'encrypted_document',
  'processing_failed',
]
const STAGES = ['queued_ms', 'download_ms', 'process_ms', 'store_ms', 'total_ms']

/** Checks an amount of money: `amount` and `micro_usd` must be equal (billing.money.1). */
export function checkMoney(what: string, money: Json): void {
  ok(Number.isInteger(money?.micro_usd), `billing.money.1: micro_usd of ${what} must be an integer`, money)
  match(money.amount, /^-?\d+\.\d{6}$/, `billing.money.1: amount of ${what}`)
  equal(Math.round(Number(money.amount) * 1e6), money.micro_usd, `billing.money.1: amount and micro_usd of ${what}`)
  equal(money.currency, 'usd', `billing.money.1: currency of ${what}`)
}

export function checkRequest(what: string, request: Json): void {
  const at = `requests.object.1: ${what}:`
  const { status } = request
  const isFinal = ['succeeded', 'failed', 'aborted'].includes(status)
  ok(Number.isInteger(request.id) && request.id > 0, `${at} id`, request.id)
  match(request.endpoint, /^(?:images|videos|documents)\/(?:process|read|screenshot|snapshot)$/, `${at} endpoint`)
  ok(STATUSES.includes(status), `${at} status`, status)
  ok(typeof request.livemode === 'boolean', `${at} livemode`, request.livemode)
  match(request.created_at, /Z$/, `${at} created_at`)
  match(request.source, /^(?:https?:\/\/|upload:upl_)/, `${at} source`)
  ok(typeof request.input === 'object' && request.input !== null, `${at} input`, request.input)
  for (const name of ['webhook_url', 'customer', 'metadata', 'source']) {
    ok(!(name in request.input), `${at} the input must not contain ${name}`)
  }
  equal('result' in request, status === 'succeeded', `${at} only a request that succeeded has a result (${status})`)
  equal('error' in request, status === 'failed', `${at} only a request that failed has an error (${status})`)
  for (const name of ['price', 'completed_at', 'timings']) {
    equal(name in request, isFinal, `${at} only a request that has ended has ${name} (${status})`)
  }
  if ('progress' in request) {
    equal(request.status, 'processing', `${at} only a request that is processing has progress`)
    ok(
      Number.isInteger(request.progress) && request.progress >= 0 && request.progress < 100,
      `${at} progress`,
      request.progress,
    )
  }
  if (status === 'processing' || status === 'succeeded') match(request.started_at, /Z$/, `${at} started_at`)
  if (isFinal) checkEnd(at, request)
}

function checkEnd(at: string, request: Json): void {
  checkMoney(`the price of ${at.slice(0, -1)}`, request.price)
  if (request.status !== 'succeeded' || !request.livemode) {
    equal(request.price.micro_usd, 0, `${at} a request that failed, was aborted, or ran with a test key is free`)
  }
  const times = [request.created_at, request.started_at ?? request.created_at, request.completed_at]
  const [accepted, started, completed] = times.map((time) => Date.parse(time))
  ok(
    (accepted ?? 0) <= (started ?? 0) && (started ?? 0) <= (completed ?? 0),
    `${at} the times of acceptance, start, and completion are in order`,
    times,
  )
  for (const stage of STAGES) {
    const took = request.timings[stage]
    ok(Number.isInteger(took) && took >= 0, `${at} timings.${stage}`, took)
  }
  const parts = STAGES.slice(0, 4).reduce((sum, stage) => sum + Number(request.timings[stage]), 0)
  ok(parts <= request.timings.total_ms + 4, `${at} the stages must not take longer than the total`, request.timings)
  if (request.status === 'failed') {
    ok(FAILURES.includes(request.error.code), `errors.failures.1: the code of a failure`, request.error)
    ok(String(request.error.message).length > 10, `errors.failures.3: the message of a failure`, request.error)
    ok(
      String(request.error.doc_url).endsWith(`/docs/errors#${request.error.code}`),
      `errors.failures.1: the doc_url of a failure`,
      request.error,
    )
    for (const leak of ['/tmp/', 'node_modules', '    at ']) {
      ok(
        !String(request.error.message).includes(leak),
        `errors.failures.3: the message of a failure contains no internal details`,
        request.error,
      )
    }
  }
  if (request.status === 'succeeded') checkResult(at, request.result)
}

function checkResult(at: string, result: Json): void {
  ok(typeof result.data === 'object' && result.data !== null, `${at} result.data`, result)
  match(result.deleted_at, /Z$/, `${at} result.deleted_at`)
  for (const file of result.files ?? []) {
    match(file.url, /\/v1\/results\/\d+\?/, `${at} the link of a result`)
    match(file.url_expires_at, /Z$/, `${at} url_expires_at`)
    match(file.format, /^[a-z0-9]+$/, `${at} the format of a result`)
    ok(file.size === null || Number.isInteger(file.size), `${at} the size of a result`, file.size)
    match(file.sha256, /^[0-9a-f]{64}$/, `${at} the sha256 of a result`)
  }
}
