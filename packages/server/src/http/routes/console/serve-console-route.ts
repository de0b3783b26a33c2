import type { ConsoleRoute } from '@mediamill/contract/console/console-route'
import { parseBody } from '@mediamill/contract/endpoints/validation'
import type { AnswersOf } from '@mediamill/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { queryReader } from '../../query.ts'
import { fastifyPath } from '../../serve-route.ts'

type QueryOf<Declared> = Declared extends { query: infer Query extends z.ZodObject } ? z.output<Query> : unknown
type BodyOf<Declared> = Declared extends { body: { schema: infer Body extends z.ZodObject } }
  ? z.output<Body>
  : undefined

/** A call of the developer area, with query and body as its route declares them. */
export type ConsoleCall<Declared extends ConsoleRoute> = Omit<
  FastifyRequest<{ Params: Record<string, string> }>,
  'query' | 'body'
> & { query: QueryOf<Declared>; body: BodyOf<Declared> }

type Handler<Declared extends ConsoleRoute> = (
  call: ConsoleCall<Declared>,
  reply: FastifyReply,
) => Promise<AnswersOf<Declared> | FastifyReply>

/** Serves a declared route of the developer area. Who may call it, its query, its body, and what it can answer. */
export function serveConsoleRoute<const Declared extends ConsoleRoute>(
  app: FastifyInstance,
  route: Declared,
  handle: Handler<Declared>,
): void {
  const read = route.query === undefined ? () => ({}) : queryReader(route.query)
  app.route<{ Params: Record<string, string> }>({
    method: route.method.toUpperCase(),
    url: fastifyPath(route.path.slice('/console/api'.length)),
    config: {
      console: { who: route.who, ofAccount: route.ofAccount },
      readsRequest: route.readsRequest === true,
    },
    handler: async (call, reply) => {
      const query = read(call)
      const body = route.body && parseBody({ name: route.path, schema: route.body.schema }, call.body)
      return await handle(Object.assign(call, { query, body }) as ConsoleCall<Declared>, reply)
    },
  })
}
