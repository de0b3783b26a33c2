import type { Command } from 'commander'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import { addProcessingOptions, wholeNumber } from '../batch/processing-options.ts'
import type { OpenLocal } from '../batch/run-processing-command.ts'
import { addOperationFlags } from '../operations/operation-flags.ts'
import type { OutputOptions } from '../operations/output-flag.ts'
import { addOutputFlag, OUTPUT_HELP } from '../operations/output-flag.ts'
import { UsageError } from '../usage-error.ts'

type Options = ProcessingOptions & OutputOptions & { maxDuration?: number; maxPages?: number }

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('process')
    .description('Run operations on images, videos, and PDFs.')
    .argument('<input...>', 'files, folders, globs, URLs, or - for stdin')
  const operations = addOperationFlags(command)
  addOutputFlag(command)
  addProcessingOptions(command, { makes: 'media', hasLocal: openLocal !== undefined })
  command
    .option('--max-duration <seconds>', 'keep only this many seconds from the start of a video', wholeNumber)
    .option('--max-pages <n>', 'keep only this many pages from the start of a PDF', wholeNumber)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: Options) => {
      const { output: outputs } = options
      if (operations.length === 0 && outputs === undefined && options.template === undefined) {
        throw new UsageError(
          'Add an operation, such as --resize 800x800. To show the metadata of a file, use mediamill read.',
        )
      }
      const fields = { max_duration: options.maxDuration, max_pages: options.maxPages }
      const { runProcessingCommand } = await import('../batch/run-processing-command.ts')
      await runProcessingCommand(words, { verb: 'process', operations, outputs, fields }, options, openLocal)
    })
}

const HELP = `
Operations run in the order in which you type them. Separate the values of an operation with commas: first the required
values, then name=value, or only the name to turn a switch on. A watermark can be a local file.

Paths of results go to stdout, messages to stderr. If you run the same command again within 24 hours, it continues where
it stopped, and nothing is charged twice.
${OUTPUT_HELP}

Examples:
  mediamill process photo.jpg --orient --resize 800x800 --watermark logo.png,x=20,y=20 -o small.webp
  mediamill process 'in/**/*.{jpg,heic}' --thumbnail 400 -o 'thumbs/{name}.{ext}' --json
  mediamill process photo.jpg --orient --output name=large,resize=1600x1600 --output name=small,resize=400x400 -o out/
  mediamill process 'in/*.jpg' --template product@3 --variable width=400 -o out/
  cat photo.jpg | mediamill process - --grayscale > gray.jpg`
