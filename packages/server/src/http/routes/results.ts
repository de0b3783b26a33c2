import { ApiError } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { parseId } from '@mediamill/contract/domain/ids'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { ResultFile } from '@mediamill/contract/domain/request'
import { fileNamed } from '@mediamill/contract/domain/request'
import { downloadResult } from '@mediamill/contract/routes/requests'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findLinked } from '../../requests/find.ts'
import type { LinkedFile, LinkProof, LinkVerdict } from '../../store/link.ts'
import { filePath, isTimeOf, unixSeconds, verifyFile, verifyResult } from '../../store/link.ts'
import { etagOf, parseRange } from '../../store/range-header.ts'
import type { ApiContext } from '../api-context.ts'
import { isKnown } from '../negotiate.ts'
import { textQuery } from '../query.ts'
import { fastifyPath } from '../serve-route.ts'

export function serveResults(app: FastifyInstance, api: ApiContext): void {
  // HEAD is declared, because Fastify's generated HEAD routes would send Content-Length: 0.
  const method = ['GET', 'HEAD']
  app.route<{ Params: { id: string } }>({ method, url: fastifyPath(downloadResult.path), handler: redirectToFile })
  app.route<{ Params: { key: string; name: string } }>({ method, url: '/v1/files/:key/:name', handler: serveFile })

  async function redirectToFile(call: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) {
    const link = {
      id: call.params.id,
      file: textQuery(call, 'file'),
      ...proofIn(call),
    }
    const { file, deletedAt } = await linkedFile(api, link)
    const name = link.file === undefined ? `${link.id}.${file.format}` : `${link.id}-${link.file}.${file.format}`
    const response = {
      method: call.method === 'HEAD' ? ('HEAD' as const) : ('GET' as const),
      contentType: CONTENT_TYPES[file.format],
      contentDisposition: `inline; filename="${name}"`,
      cacheControl: cacheUntil(unixSeconds(deletedAt)),
    }
    const secondsLeft = Math.max(1, unixSeconds(deletedAt) - unixSeconds(new Date()))
    const elsewhere = await api.store.link(file.key, response, secondsLeft)
    const here = () => api.links.baseUrl + filePath(api.links.keys, { ...file, name }, deletedAt)
    reply.headers(FOR_ANY_PAGE)
    return await reply.redirect(elsewhere ?? here(), 302)
  }

  async function serveFile(call: FastifyRequest<{ Params: { key: string; name: string } }>, reply: FastifyReply) {
    const sha256 = textQuery(call, 'sha256')
    const { key: fileKey, name } = call.params
    const link = { fileKey, name, sha256, ...proofIn(call) }
    checkLink(verifyFile(api.links.keys, link, new Date()))
    return await sendFile(api, call, reply, { ...call.params, sha256: sha256 ?? '', expires: Number(link.expires) })
  }
}

export const proofIn = (call: Pick<FastifyRequest, 'query'>) => ({
  expires: textQuery(call, 'expires'),
  key: textQuery(call, 'key'),
  signature: textQuery(call, 'signature'),
})

async function linkedFile(
  api: ApiContext,
  link: LinkedFile & LinkProof & { id: string; expires: string | undefined },
): Promise<{ file: ResultFile; deletedAt: Date }> {
  checkLink(verifyResult(api.links.keys, link, new Date()))
  const requestId = parseId<RequestId>(link.id)
  const found = requestId === undefined ? undefined : await findLinked(api.sql, requestId)
  if (found?.request.status !== 'succeeded' || found.filesDeleted) throw resultExpired()
  const file = fileNamed(found.request.files, link.file)
  const { deletedAt } = found.request
  if (file === undefined || deletedAt === null || !isTimeOf(deletedAt, link.expires)) throw resultExpired()
  return { file, deletedAt }
}

function checkLink(verdict: LinkVerdict): void {
  if (verdict === 'invalid_signature') throw invalidSignature()
  if (verdict === 'expired') throw resultExpired()
}

/** Returns the error for a wrong signature. `field`: the response field that contains the correct link. */
export function invalidSignature(field = 'result.files[].url'): ApiError {
  return new ApiError(
    'invalid_signature',
    `This service did not create this link, the link was changed, or its signing key was retired. Get a new link, and use ${field} as it is.`,
  )
}

export function resultExpired(): ApiError {
  return new ApiError('result_expired', 'The file of this link was deleted. Results are kept for a limited time.')
}

export function rangeNotSatisfiable(size: number): ApiError {
  return new ApiError(
    'range_not_satisfiable',
    `The range begins after the end of the file, which has ${size} bytes. Request a range that begins before byte ${size}.`,
  )
}

/** Lets pages of every origin read a file, because customers embed links. The signature is the permission. */
const FOR_ANY_PAGE = { 'cross-origin-resource-policy': 'cross-origin', 'access-control-allow-origin': '*' }

/** Lets private caches keep the file until `expires` (Unix seconds). Until then, the file cannot change. */
const cacheUntil = (expires: number) => `private, max-age=${Math.max(0, expires - unixSeconds(new Date()))}, immutable`

/** The headers that describe the file. They are removed from an error response. */
const OF_THE_FILE = ['cache-control', 'content-type', 'content-disposition', 'etag'] as const

/** Prevents browsers from running a user's file as a page of this origin. */
export const FILE_POLICY = "default-src 'none'; sandbox"

/** Sends a result file. Headers prevent browsers from running the file as a page of this origin. */
async function sendFile(
  api: ApiContext,
  call: Pick<FastifyRequest, 'headers' | 'method'>,
  reply: FastifyReply,
  file: { key: string; name: string; sha256: string; expires: number },
): Promise<FastifyReply> {
  const size = await api.store.size(file.key)
  if (size === undefined) throw resultExpired()
  const etag = etagOf(file.sha256)
  const { range: wantedRange, 'if-range': ifRange, 'if-none-match': known } = call.headers
  reply.headers({
    'content-type': contentTypeOf(file.key),
    'content-disposition': `inline; filename="${file.name}"`,
    'content-security-policy': FILE_POLICY,
    ...FOR_ANY_PAGE,
    'access-control-expose-headers': 'Content-Disposition, Content-Length, Content-Range, ETag',
    'cache-control': cacheUntil(file.expires),
    'accept-ranges': 'bytes',
    etag,
  })
  if (isKnown(etag, known)) return await reply.code(304).send()
  const range = parseRange(wantedRange, size, typeof ifRange === 'string' ? ifRange : undefined, etag)
  if (range.kind === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`)
    for (const name of OF_THE_FILE) reply.removeHeader(name)
    throw rangeNotSatisfiable(size)
  }
  const part = range.kind === 'part' ? range : undefined
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`)
  reply.header('content-length', part === undefined ? size : part.end - part.start + 1)
  if (call.method === 'HEAD') return await reply.send()
  const opened = await api.store.open(file.key, part)
  if (opened === undefined) throw resultExpired()
  return await reply.send(opened.body)
}

function contentTypeOf(key: string): string {
  const format = Object.keys(CONTENT_TYPES).find((name) => key.endsWith(`.${name}`)) as
    | keyof typeof CONTENT_TYPES
    | undefined
  return format === undefined ? 'application/octet-stream' : CONTENT_TYPES[format]
}
