import type { Command } from 'commander'
import { addOperationFlags } from '../operations/add-operation-flags.ts'
import { UsageError } from '../usage-error.ts'
import type { OpenLocal } from '../work/work-on.ts'
import type { WorkOptions } from '../work/work-options.ts'
import { addWorkOptions, wholeNumber } from '../work/work-options.ts'

type Options = WorkOptions & { maxDuration?: number; maxPages?: number }

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('process')
    .description('Run operations on images, videos and PDFs: files, folders, globs, URLs, or - for what is piped in.')
    .argument('<input...>', 'what to work on')
  const operations = addOperationFlags(command)
  addWorkOptions(command, { makes: 'media', hasLocal: openLocal !== undefined })
  command
    .option('--max-duration <seconds>', 'keep only the first that many seconds of a video', wholeNumber)
    .option('--max-pages <n>', 'keep only the first that many pages of a PDF', wholeNumber)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: Options) => {
      if (operations.length === 0) {
        throw new UsageError('Name an operation, such as --resize 800x800; mediamill read tells what a file is.')
      }
      const fields = { max_duration: options.maxDuration, max_pages: options.maxPages }
      const { workOn } = await import('../work/work-on.ts')
      await workOn(words, { verb: 'process', operations, fields }, options, openLocal)
    })
}

const HELP = `
Operations run in the order in which they are typed. A value is WIDTHxHEIGHT, or what the operation needs, in
order and with commas; after it name=value, or the bare name of a switch. A watermark may be a file of yours.

The paths of results go to stdout, everything else to stderr. Run again within 24 hours, the same command goes on
where it was, and nothing is charged twice.

Examples:
  mediamill process photo.jpg --orient --resize 800x800 -o small.webp
  mediamill process photo.jpg --resize 800x800 --watermark logo.png,x=20,y=20 -o out/
  mediamill process 'in/**/*.{jpg,heic}' --thumbnail 400 -o 'thumbs/{name}.{ext}' --json
  cat photo.jpg | mediamill process - --grayscale > gray.jpg`
