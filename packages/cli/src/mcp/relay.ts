import { OperatorError } from '@mediamill/contract/domain/errors'
import { checkTargets } from '@mediamill/contract/domain/send-targets'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import { reasonOf } from '../batch/reason.ts'
import type { Account } from '../remote/connect.ts'
import type { Folders } from './folders.ts'
import { inLocalWords, saveResult, uploadNamed, withFormatOf, withLocalFiles } from './local-files.ts'
import type { Message } from './messages.ts'
import { readMessages, rejectedCall } from './messages.ts'

export const ALLOWED_VARIABLE = 'MEDIAMILL_MCP_ALLOWED_DESTINATIONS'

/** The timeout of a call. It exceeds the time for which a tool may wait for a result. */
const TIMEOUT_MS = 60_000

/** Forwards MCP messages to `/mcp`. Before a tool call, uploads local files. After the call, saves the result. */
export class Relay {
  readonly #account: Account
  readonly #service: Mediamill
  readonly #folders: Folders
  readonly #allowed: readonly string[]
  readonly #notify: (message: Message) => void

  /** `allowed` lists the hosts to which tools may send data. `notify` receives the service's notifications. */
  constructor(
    account: Account,
    service: Mediamill,
    folders: Folders,
    { allowed, notify }: { allowed: readonly string[]; notify: (message: Message) => void },
  ) {
    this.#allowed = allowed
    this.#notify = notify
    this.#account = account
    this.#service = service
    this.#folders = folders
  }

  /** Returns the response to a message, or `undefined` for a notification. Never throws. */
  async respondTo(message: Message): Promise<Message | undefined> {
    try {
      if (message.method === 'tools/call') return await this.#callTool(message)
      const response = await this.#send(message)
      const { tools, instructions } = response?.result ?? {}
      if (typeof instructions === 'string')
        return { ...response, result: { ...response?.result, instructions: inLocalWords(instructions) } } as Message
      if (tools === undefined) return response
      return { ...response, result: { ...response?.result, tools: withLocalFiles(tools) } } as Message
    } catch (error) {
      if (message.id === undefined) return undefined
      if (message.method === 'tools/call') return rejectedCall(message.id, reasonOf(error))
      return { jsonrpc: '2.0', id: message.id, error: { code: -32_603, message: reasonOf(error) } }
    }
  }

  async #callTool(message: Message): Promise<Message | undefined> {
    const { save_to: saveTo, ...input } = message.params?.arguments ?? {}
    // If the path is wrong, no request must be charged.
    const file = typeof saveTo === 'string' ? await this.#folders.writable(saveTo) : undefined
    const { errors } = checkTargets(input, this.#allowed, ALLOWED_VARIABLE)
    if (errors.length > 0) return rejectedCall(message.id, errors.join('\n'))
    const formatted = file === undefined ? input : withFormatOf(message.params?.name ?? '', input, file)
    const args = await uploadNamed(formatted, this.#service, this.#folders)
    const response = await this.#send({ ...message, params: { ...message.params, arguments: args } })
    return response === undefined || file === undefined ? response : await saveResult(response, file, this.#service)
  }

  async #send(message: Message): Promise<Message | undefined> {
    const version = message.params?._meta?.['io.modelcontextprotocol/protocolVersion']
    const response = await fetch(`${this.#account.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#account.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(message.params?.name !== undefined && { 'mcp-name': message.params.name }),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const reply = await readMessages(response, this.#notify)
    if (response.status === 404)
      throw new OperatorError(`${this.#account.url} has no MCP endpoint: upgrade the server.`)
    if (response.ok || reply?.jsonrpc === '2.0') return reply
    throw new OperatorError(reply?.error?.message ?? `${this.#account.url} returned status ${response.status}.`)
  }
}
