import { docUrl } from '@mediamill/contract/domain/errors'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { NO_MONEY, toDollars } from '@mediamill/contract/domain/money'
import type { FailedRequest, MediaRequest, RequestError, SucceededRequest } from '@mediamill/contract/domain/request'
import { outputNames } from '@mediamill/contract/endpoints/outputs'
import type { FastifyReply } from 'fastify'
import type { Store } from '../store/store.ts'
import type { ApiContext } from './api-context.ts'
import { FILE_POLICY, resultExpired } from './routes/results.ts'

/** Sends the result file or error of a request as the response. Returns `false` if the request has neither. */
export async function sendResult(
  { store, links }: Pick<ApiContext, 'store' | 'links'>,
  reply: FastifyReply,
  request: MediaRequest,
): Promise<boolean> {
  if (request.status === 'failed') return sendFailure(links.baseUrl, reply, request)
  if (request.status !== 'succeeded') return false
  return await sendFile(store, reply, request)
}

async function sendFile(
  store: Store,
  reply: FastifyReply,
  { id, price, files: [file] }: SucceededRequest,
): Promise<boolean> {
  const type = file && CONTENT_TYPES[file.format]
  if (file === undefined || type === undefined) return false
  const opened = await store.open(file.key)
  if (opened === undefined) throw resultExpired()
  reply.code(200).headers({
    'mediamill-request': id,
    'mediamill-price': toDollars(price),
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    'content-type': type,
    'content-length': file.size,
    'content-disposition': `inline; filename="${id}.${file.format}"`,
    'content-security-policy': FILE_POLICY,
  })
  void reply.send(opened.body)
  return true
}

function sendFailure(baseUrl: string, reply: FastifyReply, { id, error, input }: FailedRequest): true {
  const { code, message } = error
  const param = paramOf(error, input)
  void reply
    .code(422)
    .headers({ 'mediamill-request': id, 'mediamill-price': toDollars(NO_MONEY) })
    .send({
      error: {
        type: 'invalid_request',
        code,
        message,
        ...(param !== '' && { param }),
        doc_url: docUrl(baseUrl, code),
        request_id: reply.request.id,
      },
    })
  return true
}

/** Returns the path of the output and the operation that failed, or an empty text if neither failed. */
function paramOf({ operation, output }: RequestError, input: Record<string, unknown>): string {
  const place = output === undefined ? -1 : (outputNames(input)?.indexOf(output) ?? -1)
  const path = [
    ...(place === -1 ? [] : ['outputs', place]),
    ...(operation === undefined ? [] : ['operations', operation]),
  ]
  return path.join('.')
}
