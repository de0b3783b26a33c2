import type { ConsoleRoute } from '@mediamill/contract/console/console-route'
import { parseBody } from '@mediamill/contract/endpoints/validation'
import type { QueryOf, ResponseOf, Route } from '@mediamill/contract/route'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { queryReader } from './query.ts'
import { unknownQueryWarning } from './unknown-query.ts'

type AnyRoute = Route | ConsoleRoute

type BodyOf<Declared> = Declared extends ConsoleRoute & { body: { schema: infer Body extends z.ZodObject } }
  ? z.output<Body>
  : unknown

export type RouteCall<Declared extends AnyRoute> = Omit<
  FastifyRequest<{ Params: Record<string, string> }>,
  'query' | 'body'
> & { query: QueryOf<Declared>; body: BodyOf<Declared> }

type Handler<Declared extends AnyRoute> = (
  call: RouteCall<Declared>,
  reply: FastifyReply,
) => Promise<ResponseOf<Declared> | FastifyReply>

export function serveRoute<const Declared extends AnyRoute>(
  app: FastifyInstance,
  route: Declared,
  handle: Handler<Declared>,
): void {
  const declared = route.query ?? z.object({})
  const read = queryReader(declared)
  const bodyOwner =
    'allowedSessions' in route && route.body ? { name: route.path, schema: route.body.schema } : undefined
  app.route<{ Params: Record<string, string> }>({
    method: route.method.toUpperCase(),
    url: pathIn(app, route.path),
    config: {
      ...('allowedSessions' in route && {
        console: { allowedSessions: route.allowedSessions, ofAccount: route.ofAccount },
      }),
    },
    handler: async (call, reply) => {
      const query = read(call)
      const warning = 'key' in route && route.key ? unknownQueryWarning(call.query as object, declared) : undefined
      if (warning !== undefined) reply.header('mediamill-warning', warning)
      const body = bodyOwner === undefined ? call.body : parseBody(bodyOwner, call.body)
      return await handle(Object.assign(call, { query, body }) as RouteCall<Declared>, reply)
    },
  })
}

/** Returns a route's path without the prefix of its scope. The console serves routes of `/v1` under its own prefix. */
const pathIn = ({ prefix }: FastifyInstance, path: string) =>
  fastifyPath(prefix === '' ? path : path.replace(/^\/(?:v1|console\/api)/, ''))

export const fastifyPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')
