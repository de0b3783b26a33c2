import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isValidKey } from '../../accounts/authenticate.ts'
import type { Door } from '../door.ts'
import { bearerOf, countCall, invalidApiKey, missingApiKey } from '../hooks/authenticate.ts'

/**
 * Serves the Model Context Protocol at `/mcp` (rulings 22). It has no sessions, and takes the keys of the interface.
 *
 * A tool makes a call of `/v1` within this process: its key, limits, prices and refusals are those of that call.
 */
export function serveMcp(app: FastifyInstance, door: Door): void {
  let opened: ReturnType<typeof openHandler> | undefined
  app.addHook('onClose', async () => await (await opened)?.handler.close())
  app.route({
    // The protocol answers the last two with 405 itself, as clients that look for a session expect.
    method: ['POST', 'GET', 'DELETE'],
    url: '/mcp',
    handler: async (call, reply) => {
      const key = bearerOf(call)
      // wall: an agent without a key
      if (key === undefined) throw missingApiKey(call)
      // wall: an agent with an invalid key
      if (!(await isValidKey(door.sql, key))) throw invalidApiKey(key)
      // wall: a foreign page’s call of an agent’s door
      if (!isOurOrigin(door, call.headers.origin)) return await reply.code(403).send(FOREIGN_ORIGIN)
      const messages: unknown[] = Array.isArray(call.body) ? call.body : [call.body]
      // wall: a batch of any size
      if (messages.length > MAX_BATCH) return await reply.code(400).send(BATCH_TOO_LARGE)
      // Tools wait for requests, longer than other calls may take.
      reply.isHeld = true
      opened ??= openHandler(app, door)
      const { handler, makesCall } = await opened
      // A tool that makes a call of `/v1` is counted there.
      for (const message of messages) if (isCounted(message) && !makesCall(message)) await countCall(door, key, reply)
      const answered = await handler.fetch(webRequest(door, call, messages.length > 1), { parsedBody: call.body })
      return await send(reply, answered)
    },
  })
}

/** Opened by the first agent that comes: the protocol's library takes 30 MB, and most services never see one. */
async function openHandler(
  app: FastifyInstance,
  door: Door,
): Promise<{ handler: McpHttpHandler; makesCall: (message: unknown) => boolean }> {
  const [{ createMcpHandler }, { mcpServer, makesCall }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp/server.ts'),
  ])
  const handler = createMcpHandler(
    ({ requestInfo }) =>
      mcpServer(app, door, {
        authorization: requestInfo?.headers.get('authorization') ?? '',
        isBatch: requestInfo?.headers.has(IN_BATCH) === true,
      }),
    { onerror: (error) => app.log.debug({ err: error }, 'a call of /mcp was refused') },
  )
  return { handler, makesCall: (message) => makesCall(door, message) }
}

/** Messages of one call. Ten lists of tools have some 250 kB. */
const MAX_BATCH = 10

/** Marks the messages of a batch for the tools. */
const IN_BATCH = 'mediamill-in-batch'

const BATCH_TOO_LARGE = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `A batch has at most ${MAX_BATCH} messages. Send several batches.` },
}

/** A notification is answered with nothing, and is not counted. */
const isCounted = (message: unknown) =>
  typeof message !== 'object' || message === null || !('method' in message) || 'id' in message

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
function webRequest({ links }: Door, { method, headers }: FastifyRequest, isBatch: boolean): Request {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const request = new Request(new URL('/mcp', links.baseUrl), { method, headers: entries })
  // Only we set it: previews of a whole batch would be megabytes.
  if (isBatch) request.headers.set(IN_BATCH, '1')
  else request.headers.delete(IN_BATCH)
  return request
}

async function send(reply: FastifyReply, { status, headers, body }: Response): Promise<FastifyReply> {
  reply.code(status)
  for (const [name, value] of headers) reply.header(name, value)
  return await reply.send(body === null ? '' : Readable.fromWeb(body as ReadableStream))
}
