import type { Command } from 'commander'
import type { OutputOptions } from '../operations/add-output-flag.ts'
import { addOutputFlag, OUTPUT_HELP } from '../operations/add-output-flag.ts'
import type { OpenLocal } from '../work/work-on.ts'
import type { WorkOptions } from '../work/work-options.ts'
import { addWorkOptions, wholeNumber } from '../work/work-options.ts'

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('snapshot')
    .description('Render a page of a PDF as an image.')
    .argument('<input...>', 'PDFs: files, folders, globs, URLs, or - for stdin')
    .option('--page <n>', 'page number, from 1 (default: 1)', wholeNumber)
  addOutputFlag(command)
  addWorkOptions(command, { makes: 'still', hasLocal: openLocal !== undefined })
  command
    .addHelpText('after', `${OUTPUT_HELP}\n\nExample:\n  mediamill snapshot offer.pdf --page 2 -o page.png`)
    .action(async (words: string[], options: WorkOptions & OutputOptions & { page?: number }) => {
      const { workOn } = await import('../work/work-on.ts')
      await workOn(
        words,
        { verb: 'snapshot', operations: [], outputs: options.output, fields: { page: options.page } },
        options,
        openLocal,
      )
    })
}
