export type Message = {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  params?: { name?: string; arguments?: Json; _meta?: Json }
  result?: { tools?: Tool[]; instructions?: string; content?: Content[]; structuredContent?: Json; isError?: boolean }
  error?: { code: number; message: string }
}

export type Json = { [name: string]: unknown }
type Content = { type: string; text?: string }
export type Tool = { name: string; inputSchema: { properties: Json; required?: string[] } }

export const rejectedCall = (id: Message['id'], text: string): Message => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  result: { isError: true, content: [{ type: 'text', text }] },
})

/** Reads a body of JSON or events. Returns the MCP response, and passes notifications to `notify`. */
export async function readMessages(
  response: Response,
  notify: (message: Message) => void,
): Promise<Message | undefined> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    const text = await response.text()
    return text.trim() === '' ? undefined : (JSON.parse(text) as Message)
  }
  let reply: Message | undefined
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + text).split(/\r?\n\r?\n/)
    rest = events.pop() ?? ''
    for (const event of events) take(event)
  }
  take(rest)
  return reply

  function take(event: string): void {
    const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n')
    if (data === '') return
    const message = JSON.parse(data) as Message
    if (message.result !== undefined || message.error !== undefined) reply ??= message
    else notify(message)
  }
}
