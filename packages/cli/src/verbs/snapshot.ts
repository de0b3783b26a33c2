import type { Command } from 'commander'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import { addProcessingOptions, wholeNumber } from '../batch/processing-options.ts'
import type { OpenLocal } from '../batch/run-processing-command.ts'
import type { OutputOptions } from '../operations/output-flag.ts'
import { addOutputFlag, OUTPUT_HELP } from '../operations/output-flag.ts'

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('snapshot')
    .description('Render a page of a PDF as an image.')
    .argument('<input...>', 'PDFs: files, folders, globs, URLs, or - for stdin')
    .option('--page <n>', 'page number, from 1 (default: 1)', wholeNumber)
  addOutputFlag(command)
  addProcessingOptions(command, { makes: 'still', hasLocal: openLocal !== undefined })
  command
    .addHelpText('after', `${OUTPUT_HELP}\n\nExample:\n  mediamill snapshot offer.pdf --page 2 -o page.png`)
    .action(async (words: string[], options: ProcessingOptions & OutputOptions & { page?: number }) => {
      const { runProcessingCommand } = await import('../batch/run-processing-command.ts')
      await runProcessingCommand(
        words,
        { verb: 'snapshot', operations: [], outputs: options.output, fields: { page: options.page } },
        options,
        openLocal,
      )
    })
}
