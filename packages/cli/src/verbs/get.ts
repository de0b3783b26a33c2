import type { Command } from 'commander'
import { interrupts } from '../batch/interrupts.ts'
import { pathsIn, pathsWithNames } from '../outputs/file-names.ts'
import { saveFile, writeResult } from '../outputs/save-file.ts'
import { isFolder } from '../outputs/target.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { print } from '../terminal/output.ts'
import { showProgressLines } from '../terminal/progress-lines.ts'
import { UsageError } from '../usage-error.ts'
import { describeRequest } from './describe-request.ts'
import { requestArgument } from './request-argument.ts'

type Options = ServiceOptions & { wait?: true; out?: string; force?: true; json?: true }

export function register(program: Command): void {
  const command = program
    .command('get')
    .description('Show a request, wait for it, or save its result.')
    .argument('<request>', 'request ID', requestArgument)
    .option('--wait', 'wait until the request has finished')
    .option('-o, --out <where>', 'wait, and save the result to this file or folder/; several files get their own names')
    .option('--force', 'overwrite an existing file')
  addServiceOptions(command)
  command
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  mediamill get 17 -o small.webp\n  mediamill get 18 -o out/')
    .action(async (id: number, options: Options) => {
      const { signal } = interrupts()
      const { service } = await connect(options)
      const { out } = options
      if (options.wait !== true && out === undefined) {
        const request = await service.requests.retrieve(id, { signal })
        print(options.json, request, () => describeRequest(request))
        return
      }
      using lines = showProgressLines(process.stderr, 1)
      const onProgress = ({ status }: { status: string }) => lines.update(String(id), status)
      const request = await service.requests.wait(id, { signal, onProgress })
      const files = 'files' in request.result ? (request.result.files ?? []) : []
      const saved = out === undefined ? [] : await pathsOf(out, id, files)
      for (const [index, path] of saved.entries()) {
        const file = files[index]
        if (file !== undefined)
          await saveFile(path, options.force === true, (draft) => writeResult(file, draft, signal))
      }
      lines[Symbol.dispose]()
      print(options.json, request, () => (saved.length > 0 ? saved.join('\n') : describeRequest(request)))
    })
}

async function pathsOf(
  out: string,
  id: number,
  files: readonly { name?: string; format: string }[],
): Promise<string[]> {
  if (files.length === 0) throw new UsageError(`Request ${id} has no result file: remove -o.`)
  if (await isFolder(out)) return pathsIn(out, String(id), files)
  return files.length === 1 ? [out] : pathsWithNames(out, files)
}
