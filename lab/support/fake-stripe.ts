import { startHttpServer } from './http-server.ts'

type StripeObject = { id: string; object: string; created: number } & Record<string, unknown>

/** A fake Stripe API with the calls that read payments and refunds. Lists have the newest object first. */
export type FakeStripe = AsyncDisposable & {
  at: { protocol: 'http'; host: string; port: number; timeout: number }
  objects: StripeObject[]
  calls: string[]
  /** Errors for the next calls: a status, or `hang` for no response. */
  failures: (number | 'hang')[]
}

const LISTS: Record<string, string> = { '/v1/checkout/sessions': 'checkout.session', '/v1/refunds': 'refund' }

export async function startFakeStripe(timeout = 5_000): Promise<FakeStripe> {
  const objects: StripeObject[] = []
  const calls: string[] = []
  const failures: FakeStripe['failures'] = []
  const server = await startHttpServer((call, response) => {
    const { pathname, searchParams } = new URL(call.url ?? '', 'http://stripe')
    calls.push(call.url ?? '')
    const failure = failures.shift()
    if (failure === 'hang') return
    const respond = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (failure !== undefined) {
      respond(failure, { error: { type: failure < 500 ? 'invalid_request_error' : 'api_error', message: 'sk_test_…' } })
      return
    }
    const kind = LISTS[pathname]
    if (kind === undefined) {
      const found = objects.find(({ id }) => pathname.endsWith(`/${id}`))
      const missing = { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such object' } }
      respond(found ? 200 : 404, found ?? missing)
      return
    }
    const matching = objects
      .filter(({ object, created }) => object === kind && isInRange(created, searchParams))
      .filter((item) => !searchParams.has('status') || item['status'] === searchParams.get('status'))
      .toSorted((one, other) => other.created - one.created)
    const start = matching.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1
    const data = matching.slice(start, start + Number(searchParams.get('limit')))
    respond(200, { object: 'list', data, has_more: start + data.length < matching.length })
  })
  return {
    at: { protocol: 'http', host: '127.0.0.1', port: server.port, timeout },
    objects,
    calls,
    failures,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

function isInRange(created: number, range: URLSearchParams): boolean {
  return created >= Number(range.get('created[gte]')) && created < Number(range.get('created[lt]'))
}
