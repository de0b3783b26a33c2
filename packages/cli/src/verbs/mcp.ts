import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { Option } from 'commander'
import { Folders } from '../mcp/folders.ts'
import type { Message } from '../mcp/messages.ts'
import { ALLOWED_VARIABLE, Relay } from '../mcp/relay.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'

export function register(program: Command): void {
  const command = program
    .command('mcp')
    .description('Run an MCP server for a local agent over stdin and stdout. Its tools can read and write local files.')
    .argument('[folder...]', 'folders that tools can read and write (default: the working folder)')
  const allowed = new Option(
    '--allow-destination <hosts>',
    'hosts that can receive results and webhooks, separated by commas',
  )
  command.addOption(allowed.env(ALLOWED_VARIABLE).default(''))
  addServiceOptions(command)
  command
    .addHelpText(
      'after',
      `
Add this command to the MCP servers in the settings of your agent, which then starts it. Use a separate account for the
agent: each key, live or test, can read and abort all requests of its account and delete their files.

Example:
  claude mcp add mediamill -- mediamill mcp ~/Pictures`,
    )
    .action(async (folders: string[], options: ServiceOptions & { allowDestination: string }) => {
      const { service, account } = await connect(options)
      const hosts = options.allowDestination.split(',').map((host) => host.trim())
      const relay = new Relay(account, service, await Folders.open(folders.length === 0 ? ['.'] : folders), {
        allowed: hosts.filter((host) => host !== ''),
        notify: write,
      })
      await relayLines(relay)
    })
}

/** Relays each line of stdin. Responses may be in another order, because each response has the id of its message. */
async function relayLines(relay: Relay): Promise<void> {
  const pending = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    const handled = handleLine(relay, line)
    pending.add(handled)
    void handled.then(() => pending.delete(handled))
  }
  await Promise.all(pending)
}

async function handleLine(relay: Relay, line: string): Promise<void> {
  let message: Message
  try {
    message = JSON.parse(line) as Message
  } catch {
    write({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'This line is not JSON.' } })
    return
  }
  // An array is a batch of calls. Reject it, because the relay checks only single calls.
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    write({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'This line is not one JSON-RPC message.' } })
    return
  }
  const response = await relay.respondTo(message)
  if (response !== undefined) write(response)
}

const write = (message: Message) => void process.stdout.write(`${JSON.stringify(message)}\n`)
