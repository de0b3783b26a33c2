import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyRequest } from 'fastify'

const SAFE = new Set(['GET', 'HEAD'])

type Call = Pick<FastifyRequest, 'method' | 'headers'>

/** Rejects calls that a page of another site could make, such as calls with a content type that a form can send. */
export function sameSiteGuard(baseUrl: string): (call: Call, takesFiles: boolean) => void {
  const { host, origin } = new URL(baseUrl)
  return (call, takesFiles) => {
    const { headers, method } = call
    if (headers.host !== host && !isLoopback(headers.host ?? '')) throw wrongHost()
    if (SAFE.has(method)) return
    const site = headers['sec-fetch-site']
    if (site === undefined ? headers.origin !== origin : site !== 'same-origin') throw crossSite()
    if (method !== 'DELETE' && !takesFiles && !isJson(headers['content-type'])) throw noJson()
  }
}

const isJson = (contentType = '') => /^application\/json\s*(?:;|$)/i.test(contentType)

const isLoopback = (host: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host)

function wrongHost(): ApiError {
  return new ApiError(
    'wrong_host',
    'The Host header must have the host of BASE_URL. A proxy in front of the service must forward the Host header.',
  )
}

function crossSite(): ApiError {
  return new ApiError(
    'cross_site',
    'Only the pages of the console can make changes, and this call came from another site.',
  )
}

function noJson(): ApiError {
  return new ApiError(
    'validation_failed',
    'Send a JSON body, such as {}, with the header Content-Type: application/json.',
  )
}
