import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isValidKey } from '../../accounts/authenticate.ts'
import type { ApiContext } from '../api-context.ts'
import { bareAddress } from '../client-address.ts'
import { bearerOf, countCall, invalidApiKey, missingApiKey } from '../hooks/authenticate.ts'
import { measureJson, parseJson, readJsonBodies } from '../json-body.ts'
import type { Previews } from '../previews.ts'
import { quoteProto } from './mcp/check-arguments.ts'

/** Serves the Model Context Protocol without sessions (agents.protocol.1). The tools call `/v1` in this process. */
export function serveMcp(app: FastifyInstance, api: ApiContext, previews: Previews): void {
  let opened: ReturnType<typeof openHandler> | undefined
  app.addHook('onClose', async () => await (await opened)?.handler.close())
  app.register(async (scope) => {
    readJsonBodies(scope)
    scope.route({
      // For GET and DELETE, the MCP library returns 405. Clients that try to open a session expect this status.
      method: ['POST', 'GET', 'DELETE'],
      url: '/mcp',
      // A hook rejects calls, so that the server does not read their bodies.
      onRequest: async (call, reply) => await checkCaller(api, call, reply),
      handler: async (call, reply) => {
        const count = async (calls = 1) => {
          for (let counted = 0; counted < calls; counted += 1) await countCall(api, bearerOf(call) ?? '', reply)
        }
        const text = typeof call.body === 'string' ? call.body : undefined
        if (text !== undefined && measureJson(text).values > MAX_VALUES) {
          await count()
          return await reply.code(400).send(TOO_MANY_VALUES)
        }
        const body = await parsed(call.body, count)
        const messages: unknown[] = Array.isArray(body) ? body : [body]
        for (const message of messages) quoteProto(message)
        if (messages.length > MAX_BATCH) {
          await count()
          return await reply.code(400).send(BATCH_TOO_LARGE)
        }
        opened ??= openHandler(app, api, previews)
        const { handler, makesCall } = await opened
        // `/v1` counts tool calls toward the rate limit. This code counts only the other messages.
        const calls = messages.filter(makesCall).length
        await count(Math.max(1, messages.length) - calls)
        // A tool can wait for a request, so the MCP call can take long.
        reply.isLongCall = true
        const response = await handler.fetch(webRequest(api, call, messages.length > 1), {
          parsedBody: withoutCancellations(body),
        })
        // After an error, no tool ran, so `/v1` did not count the tool calls. Count them here.
        if (response.status >= 400) await count(calls)
        return await send(reply, response)
      },
    })
  })
}

async function checkCaller(api: ApiContext, call: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = bearerOf(call)
  if (key === undefined) throw missingApiKey(call)
  if (!(await isValidKey(api.sql, key))) throw invalidApiKey(key)
  if (!isOurOrigin(api, call.headers.origin)) await reply.code(403).send(FOREIGN_ORIGIN)
}

/** Removes cancellations from a batch. The MCP library sends no response to a canceled call, and would wait forever. */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body
  const kept = body.filter((message) => (message as { method?: unknown } | null)?.method !== 'notifications/cancelled')
  return kept.length === 0 ? body : kept
}

async function parsed(sent: unknown, count: () => Promise<void>): Promise<unknown> {
  try {
    if (sent instanceof Error) throw sent
    return typeof sent === 'string' ? parseJson(sent) : undefined
  } catch (error) {
    await count()
    throw error
  }
}

/** Loads the MCP library for the first call, because the library needs much memory. */
async function openHandler(
  app: FastifyInstance,
  api: ApiContext,
  previews: Previews,
): Promise<{ handler: McpHttpHandler; makesCall: (message: unknown) => boolean }> {
  const [{ createMcpHandler }, { mcpServer, makesCall }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp/server.ts'),
  ])
  const handler = createMcpHandler(
    ({ requestInfo }) =>
      mcpServer(
        app,
        { api, previews },
        {
          authorization: requestInfo?.headers.get('authorization') ?? '',
          address: requestInfo?.headers.get(CLIENT_ADDRESS) ?? 'unknown',
          isBatch: requestInfo?.headers.has(IN_BATCH) === true,
        },
      ),
    { onerror: (error) => app.log.debug({ err: error }, 'call of /mcp rejected') },
  )
  return { handler, makesCall: (message) => makesCall(api, message) }
}

const MAX_BATCH = 10

const IN_BATCH = 'mediamill-in-batch'
const CLIENT_ADDRESS = 'mediamill-client-address'

const MAX_VALUES = 5_000

/** Returns a JSON-RPC error, because MCP clients cannot read other errors. */
const rpcError = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

const INVALID_REQUEST = -32_600
const FORBIDDEN = -32_000

const BATCH_TOO_LARGE = rpcError(INVALID_REQUEST, `A batch has at most ${MAX_BATCH} messages. Send several batches.`)
const TOO_MANY_VALUES = rpcError(
  INVALID_REQUEST,
  `The body has more than ${MAX_VALUES} fields and list items. Send fewer arguments, or smaller batches.`,
)
const FOREIGN_ORIGIN = rpcError(
  FORBIDDEN,
  'Pages of this origin may not call /mcp. CORS_ORIGINS lists the allowed origins.',
)

function isOurOrigin({ links, origins = [] }: ApiContext, origin: string | undefined): boolean {
  return origin === undefined || origin === new URL(links.baseUrl).origin || origins.includes(origin)
}

/** Converts a Fastify call to a `Request` for the MCP library. The library gets the parsed body separately. */
function webRequest({ links }: ApiContext, { method, headers, ip }: FastifyRequest, isBatch: boolean): Request {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const request = new Request(new URL('/mcp', links.baseUrl), { method, headers: entries })
  // Overwrite these headers: clients must not set them. Calls in a batch get no previews, which could be megabytes.
  request.headers.set(CLIENT_ADDRESS, bareAddress(ip) ?? 'unknown')
  if (isBatch) request.headers.set(IN_BATCH, '1')
  else request.headers.delete(IN_BATCH)
  return request
}

async function send(reply: FastifyReply, { status, headers, body }: Response): Promise<FastifyReply> {
  reply.code(status)
  for (const [name, value] of headers) reply.header(name, value)
  return await reply.send(body === null ? '' : Readable.fromWeb(body as ReadableStream))
}
