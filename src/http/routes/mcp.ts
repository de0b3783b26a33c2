import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Door } from '../door.ts'
import { bearerOf, missingApiKey } from '../hooks/authenticate.ts'

/**
 * Serves the Model Context Protocol at `/mcp` (rulings 22). It has no sessions, and takes the keys of the interface.
 *
 * A tool makes a call of `/v1` within this process: its key, limits, prices and refusals are those of that call.
 */
export function serveMcp(app: FastifyInstance, door: Door): void {
  let opened: Promise<McpHttpHandler> | undefined
  app.addHook('onClose', async () => await (await opened)?.close())
  app.route({
    // The protocol answers the last two with 405 itself, as clients that look for a session expect.
    method: ['POST', 'GET', 'DELETE'],
    url: '/mcp',
    handler: async (call, reply) => {
      // wall: an agent without a key
      if (bearerOf(call) === undefined) throw missingApiKey()
      // wall: a foreign page’s call of an agent’s door
      if (!isOurOrigin(door, call.headers.origin)) return await reply.code(403).send(FOREIGN_ORIGIN)
      // Tools wait for requests, longer than other calls may take.
      reply.isHeld = true
      opened ??= openHandler(app, door)
      const answered = await (await opened).fetch(webRequest(door, call), { parsedBody: call.body })
      return await send(reply, answered)
    },
  })
}

/** Opened by the first agent that comes: the protocol's library takes 30 MB, and most services never see one. */
async function openHandler(app: FastifyInstance, door: Door): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { mcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp/server.ts'),
  ])
  return createMcpHandler(({ requestInfo }) => mcpServer(app, door, requestInfo?.headers.get('authorization')), {
    onerror: (error) => app.log.debug({ err: error }, 'a call of /mcp was refused'),
  })
}

/** Agents send no Origin; a browser does, and must be one of the operator's. */
function isOurOrigin({ links, origins = [] }: Door, origin: string | undefined): boolean {
  return origin === undefined || origin === new URL(links.baseUrl).origin || origins.includes(origin)
}

/** In the protocol's own words: a client of it reads no other. */
const FOREIGN_ORIGIN = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_000, message: 'Pages of this origin may not call /mcp. CORS_ORIGINS names those that may.' },
}

/** The call as the protocol's library takes it; its body is read already. */
function webRequest({ links }: Door, { method, headers }: FastifyRequest): Request {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return new Request(new URL('/mcp', links.baseUrl), { method, headers: entries })
}

async function send(reply: FastifyReply, { status, headers, body }: Response): Promise<FastifyReply> {
  reply.code(status)
  for (const [name, value] of headers) reply.header(name, value)
  return await reply.send(body === null ? '' : Readable.fromWeb(body as ReadableStream))
}
