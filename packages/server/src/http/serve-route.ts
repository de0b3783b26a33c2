import type { AnswerOf, QueryOf, Route } from '@mediamill/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { queryReader } from './query.ts'
import { unknownQueryWarning } from './unknown-query.ts'

/** A call of a route, with its query as the route declares it. */
export type RouteCall<Declared extends Route> = Omit<FastifyRequest<{ Params: Record<string, string> }>, 'query'> & {
  query: QueryOf<Declared>
}

/** Answers a route's calls, by a body or by a reply that was sent. */
export type Handler<Declared extends Route> = (
  call: RouteCall<Declared>,
  reply: FastifyReply,
) => Promise<AnswerOf<Declared> | FastifyReply>

/**
 * Serves a declared route by a handler. The query comes as declared, and the handler can only answer what the route
 * declares.
 *
 * Answers are not judged at run time: presenters are typed by the contract, and the tests judge every answer they get.
 */
export function serveRoute<const Declared extends Route>(
  app: FastifyInstance,
  route: Declared,
  handle: Handler<Declared>,
): void {
  const known = Object.keys(route.query?.shape ?? {})
  const read = route.query === undefined ? () => ({}) : queryReader(route.query)
  app.route<{ Params: Record<string, string> }>({
    method: route.method.toUpperCase(),
    url: pathIn(app, route.path),
    config: { readsRequest: route.readsRequest === true },
    handler: async (call, reply) => {
      const query = read(call)
      const warning = route.key ? unknownQueryWarning(call.query as object, known) : undefined
      if (warning !== undefined) reply.header('mediamill-warning', warning)
      return await handle(Object.assign(call, { query }) as RouteCall<Declared>, reply)
    },
  })
}

/** The developer area serves what `/v1` has under a prefix of its own, by the same handlers. */
const pathIn = ({ prefix }: FastifyInstance, path: string) =>
  fastifyPath(prefix === '' ? path : path.slice('/v1'.length))

/** `/v1/requests/{id}` is `/v1/requests/:id` in Fastify's words. */
export const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')
