import type { Command } from 'commander'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { writeOut } from '../terminal/output.ts'
import { requestArgument } from './request-argument.ts'

export function register(program: Command): void {
  const command = program
    .command('abort')
    .description('Abort requests that are queued or processing, free of charge.')
    .argument('<request...>', 'request IDs', (text: string, before: number[] | undefined) => [
      ...(before ?? []),
      requestArgument(text),
    ])
  addServiceOptions(command)
  command
    .option('--json', 'print one line of JSON per request')
    .addHelpText('after', '\nExample:\n  mediamill abort 17')
    .action(async (ids: number[], options: ServiceOptions & { json?: true }) => {
      const { service } = await connect(options)
      for (const id of ids) {
        const request = await service.requests.abort(id)
        writeOut(`${options.json === true ? JSON.stringify(request) : `request ${id} is ${request.status}`}\n`)
      }
    })
}
