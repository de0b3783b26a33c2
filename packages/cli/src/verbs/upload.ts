import { basename } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { openFile } from '@mediamill/sdk/src/files/open-file'
import type { Command } from 'commander'
import { interrupts } from '../batch/interrupts.ts'
import { presentError, reasonOf } from '../batch/reason.ts'
import { openSpool } from '../inputs/spool.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { writeOut } from '../terminal/output.ts'
import { showProgressLines } from '../terminal/progress-lines.ts'

export function register(program: Command): void {
  const command = program
    .command('upload')
    .description('Upload files for your own API calls. Other commands upload automatically. Kept for 24 hours.')
    .argument('<file...>', 'files, or - for stdin')
  addServiceOptions(command)
  command
    .option('--json', 'print one line of JSON per file')
    .addHelpText(
      'after',
      '\nPrints the source of each upload, upload:upl_…, on stdout.\n\nExample:\n  mediamill upload logo.png',
    )
    .action(async (files: string[], options: ServiceOptions & { json?: true }) => {
      const { signal } = interrupts()
      const { service } = await connect(options)
      await using spool = openSpool(signal)
      using lines = showProgressLines(process.stderr, files.length)
      let failed = 0
      for (const file of files) {
        const label = file === '-' ? file : basename(file)
        try {
          const blob = await openFile(file === '-' ? await spool.path() : file)
          const onProgress = (sent: number, size: number) =>
            lines.update(label, `${formatBytes(sent)} of ${formatBytes(size)}`)
          const upload = await service.uploads.create(blob, { signal, onProgress })
          const text = options.json === true ? JSON.stringify({ input: file, ok: true, upload }) : upload.source
          lines.end(label, `${formatBytes(upload.size)}, kept until ${upload.expires_at}`)
          lines.writeAbove(() => writeOut(`${text}\n`))
        } catch (error) {
          signal.throwIfAborted()
          if (files.length === 1 && options.json !== true) throw error
          failed += 1
          lines.end(label, reasonOf(error))
          if (options.json === true)
            writeOut(`${JSON.stringify({ input: file, ok: false, error: presentError(error) })}\n`)
        }
      }
      if (failed > 0) throw new OperatorError(`${failed} of ${files.length} files were not uploaded.`)
    })
}
