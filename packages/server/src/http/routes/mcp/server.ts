import { buffer } from 'node:stream/consumers'
import { setInterval } from 'node:timers/promises'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { checkTargets } from '@mediamill/contract/domain/send-targets'
import { API_VERSION } from '@mediamill/contract/routes'
import type { CallToolResult, ContentBlock, ServerContext } from '@modelcontextprotocol/server'
import { fromJsonSchema, isJSONRPCRequest, isSpecType, McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { findAgain, findLinked } from '../../../requests/find.ts'
import { present } from '../../../requests/present.ts'
import { keptFile } from '../../../requests/result-files.ts'
import type { ApiContext } from '../../api-context.ts'
import type { Previews } from '../../previews.ts'
import { argumentErrors } from './check-arguments.ts'
import type { JsonObject } from './input-schema.ts'
import { invalidArguments, isSmallImage, otherMedia, rejectedResult, requestOf, toolResult } from './tool-result.ts'
import type { InnerCall, McpTool } from './tools.ts'
import { STARTING, TOOLS } from './tools.ts'

/** How long a tool waits. MCP hosts stop a tool after 30 to 60 s. Later, the model can call `get_request`. */
const WAIT_SECONDS = 25

const PROGRESS_MS = 1_000

/** The maximum size of a preview. In base64, it is a third larger, and it stays in the model's conversation. */
const MAX_PREVIEW_BYTES = 256 * 1024

const INSTRUCTIONS =
  'Mediamill edits images, videos, and PDFs. Each tool that starts work returns the request; while it is queued or processing, call get_request with its id. Links to results need no key and work for days. For a file without a URL call create_upload, send the file there, and pass its source on.'

/** Accepts all arguments: `argumentFaults` and the API check them, and return better messages. */
const UNCHECKED = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never }

const SETTING = 'MCP_ALLOWED_DESTINATIONS'

/** The client of a tool. The address restrictions of the key apply to `address`. */
type McpCaller = { authorization: string; address: string; isBatch: boolean }

type McpService = { api: ApiContext; previews: Previews }

/** Creates an MCP server for one message. Its tools call the API with the key of the caller. */
export function mcpServer(app: FastifyInstance, service: McpService, caller: McpCaller): McpServer {
  const server = new McpServer(
    { name: 'mediamill', title: 'Mediamill', version: API_VERSION },
    // Clients need no notification about tools, because the list of tools never changes.
    { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
  )
  for (const tool of TOOLS) {
    const { name, title, description, annotations } = tool
    const described = {
      title,
      description,
      annotations,
      inputSchema: fromJsonSchema<JsonObject>(tool.inputSchema, UNCHECKED),
      outputSchema: fromJsonSchema<JsonObject>(tool.outputSchema, UNCHECKED),
    }
    server.registerTool(name, described, (input, context) =>
      callTool({ app, ...service, caller, context }, tool, input),
    )
  }
  return server
}

export function makesCall(api: ApiContext, message: unknown): boolean {
  // If a tool call has an invalid field such as `task`, the MCP library rejects the call without running the tool.
  if (!isJSONRPCRequest(message) || !isSpecType.CallToolRequest(message)) return false
  const { name: called, arguments: input = {} } = message.params
  const tool = TOOLS.find(({ name }) => name === called)
  return tool !== undefined && findErrors(api, tool, input).length === 0
}

function findErrors(api: ApiContext, tool: McpTool, input: JsonObject): string[] {
  const allowed = api.mcpAllowedDestinations ?? []
  const { rest, errors } = STARTING.includes(tool) ? checkTargets(input, allowed, SETTING) : { rest: input, errors: [] }
  const found = [...errors, ...argumentErrors(tool.inputSchema, rest)]
  const inner = STARTING.find(({ name }) => name === input['tool'])
  if (tool.name !== 'estimate_price' || found.length > 0 || inner === undefined) return found
  return findErrors(api, inner, input['arguments'] as JsonObject)
}

type Calling = McpService & { app: FastifyInstance; caller: McpCaller; context: ServerContext }

async function callTool(calling: Calling, tool: McpTool, input: JsonObject): Promise<CallToolResult> {
  const errors = findErrors(calling.api, tool, input)
  if (errors.length > 0) return invalidArguments(errors)
  const { show, idempotency_key: key, ...body } = input
  const work = { call: tool.callOf(body), key: typeof key === 'string' ? key : undefined }
  let callResult = await run(calling, work)
  // `inspect_media` guessed the wrong media type. Its failed request was free, so try the right type.
  const media = tool.name === 'inspect_media' && body['media'] === undefined ? otherMedia(callResult.body) : undefined
  if (media !== undefined) {
    const again = { call: tool.callOf({ ...body, media }), key: work.key && `${work.key} ${media}` }
    callResult = await run(calling, again)
  }
  if (callResult.status >= 400) return rejectedResult(callResult.body)
  const result = toolResult(callResult.body)
  return show === true ? { ...result, content: [...result.content, await preview(calling, callResult.body)] } : result
}

type Work = { call: InnerCall; key: string | undefined }

async function run(calling: Calling, { call, key }: Work): Promise<{ status: number; body: JsonObject }> {
  const token = calling.context.mcpReq._meta?.progressToken
  if (token === undefined || !call.path.startsWith('/v1/videos/') || !call.waits) return await send(calling, call, key)
  const started = await send(calling, { ...call, waits: false }, key)
  const request = requestOf(started.body)
  if (started.status >= 400 || request === undefined) return started
  const until = performance.now() + WAIT_SECONDS * 1_000
  let last = -1
  const report = async (progress: number, message: string) => {
    if (progress <= last) return
    last = progress
    const params = { progressToken: token, progress, total: 100, message }
    await calling.context.mcpReq.notify({ method: 'notifications/progress', params })
  }
  await report(0, 'queued')
  let found: MediaRequest | undefined
  for await (const _ of setInterval(PROGRESS_MS)) {
    found = await findAgain(calling.api.sql, request.id as RequestId)
    const progress = found?.status === 'processing' ? found.progress : 0
    if (found === undefined || (found.status !== 'queued' && found.status !== 'processing')) break
    await report(progress, found.status)
    if (performance.now() > until || calling.context.mcpReq.signal.aborted) break
  }
  // A key that can only create requests cannot read this request.
  return found === undefined ? started : { status: 200, body: present(found, calling.api.links) }
}

async function send({ app, caller }: Calling, { method, path, body, waits }: InnerCall, key: string | undefined) {
  const callResult = await app.inject({
    method,
    url: path,
    remoteAddress: caller.address,
    headers: {
      authorization: caller.authorization,
      ...(waits && { prefer: `wait=${WAIT_SECONDS}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { payload: body }),
  })
  return { status: callResult.statusCode, body: callResult.json<JsonObject>() }
}

async function preview({ api, previews, caller }: Calling, body: JsonObject): Promise<ContentBlock> {
  const none = (why: string): ContentBlock => ({ type: 'text', text: `There is no preview: ${why}` })
  if (caller.isBatch) return none('previews are not sent in a batch. Open the link, or call get_request alone.')
  const request = requestOf(body)
  if (request?.status !== 'succeeded') return none('the request has no result.')
  const found = await findLinked(api.sql, request.id as RequestId)
  const shown = found && (isSmallImage(body) ? keptFile(found.request) : await previews.find(found.request))
  if (shown === undefined) return none('this service has no preview for this kind of result. Open the link.')
  const opened = await api.store.open(shown.key)
  if (opened === undefined) return none('the result was deleted.')
  if (opened.size > MAX_PREVIEW_BYTES) {
    opened.body.destroy()
    return none('the result is too large to show. Open the link.')
  }
  const bytes = await buffer(opened.body)
  // Do not show an incomplete file, which would be a cut-off image.
  if (bytes.length !== opened.size) return none('the result could not be read.')
  return { type: 'image', data: bytes.toString('base64'), mimeType: CONTENT_TYPES[shown.format] }
}
