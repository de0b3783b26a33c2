import type { Command } from 'commander'
import { saveNew } from '../outputs/save-new.ts'
import { writeResult } from '../outputs/write-result.ts'
import { connect } from '../remote/connect.ts'
import type { ServiceOptions } from '../remote/service-options.ts'
import { addServiceOptions } from '../remote/service-options.ts'
import { print } from '../terminal/output.ts'
import { showProgressLines } from '../terminal/progress-lines.ts'
import { UsageError } from '../usage-error.ts'
import { interrupts } from '../work/interrupts.ts'
import { describeRequest } from './describe-request.ts'
import { requestArgument } from './request-argument.ts'

type Options = ServiceOptions & { wait?: true; out?: string; force?: true; json?: true }

export function register(program: Command): void {
  const command = program
    .command('get')
    .description('Show a request, wait for it, or save its result.')
    .argument('<request>', 'request ID', requestArgument)
    .option('--wait', 'wait until the request has finished')
    .option('-o, --out <file>', 'wait, and save the result to this file')
    .option('--force', 'overwrite an existing file')
  addServiceOptions(command)
  command
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  mediamill get 17 -o small.webp')
    .action(async (id: number, options: Options) => {
      const { signal } = interrupts()
      const { service } = await connect(options)
      const { out } = options
      if (options.wait !== true && out === undefined) {
        const request = await service.requests.retrieve(id, { signal })
        print(options.json === true, request, () => describeRequest(request))
        return
      }
      using lines = showProgressLines(process.stderr, 1)
      const onProgress = ({ status }: { status: string }) => lines.say(String(id), status)
      const request = await service.requests.wait(id, { signal, onProgress })
      const made = 'files' in request.result ? request.result.files?.[0] : undefined
      if (out !== undefined) {
        if (made === undefined) throw new UsageError(`Request ${id} has made no file: leave out -o.`)
        await saveNew(out, options.force === true, (draft) => writeResult(made, draft, signal))
      }
      lines[Symbol.dispose]()
      print(options.json === true, request, () => out ?? describeRequest(request))
    })
}
