/** A message of the protocol (JSON-RPC 2.0). */
export type Message = {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  params?: { name?: string; arguments?: Json; _meta?: Json }
  result?: { tools?: Tool[]; content?: Content[]; structuredContent?: Json; isError?: boolean }
  error?: { code: number; message: string }
}

export type Json = { [name: string]: unknown }
export type Content = { type: string; text?: string }
export type Tool = { name: string; inputSchema: { properties: Json; required?: string[] } }

/** An answer of a tool that refuses, in words for a model. */
export const refused = (id: Message['id'], text: string): Message => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  result: { isError: true, content: [{ type: 'text', text }] },
})

/** Reads the message of an HTTP answer. It is JSON or an event of a stream. `undefined` where there is none. */
export function messageOf(contentType: string, body: string): Message | undefined {
  if (body.trim() === '') return undefined
  if (!contentType.startsWith('text/event-stream')) return JSON.parse(body) as Message
  const messages = body
    .split(/\r?\n\r?\n/)
    .map((event) => [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n'))
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as Message)
  return messages.find(({ result, error }) => result !== undefined || error !== undefined)
}
