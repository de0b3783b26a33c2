import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import { addProcessingOptions } from '../batch/processing-options.ts'
import type { OpenLocal } from '../batch/run-processing-command.ts'
import type { OutputOptions } from '../operations/output-flag.ts'
import { addOutputFlag, OUTPUT_HELP } from '../operations/output-flag.ts'
import { UsageError } from '../usage-error.ts'

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('screenshot')
    .description('Capture a frame of a video as an image.')
    .argument('<input...>', 'videos: files, folders, globs, URLs, or - for stdin')
    .option('--at <seconds>', 'time of the frame, in whole seconds from the start', seconds)
  addOutputFlag(command)
  addProcessingOptions(command, { makes: 'still', hasLocal: openLocal !== undefined })
  command
    .addHelpText('after', `${OUTPUT_HELP}\n\nExample:\n  mediamill screenshot clip.mp4 --at 12 -o still.png`)
    .action(async (words: string[], options: ProcessingOptions & OutputOptions & { at?: number }) => {
      if (options.at === undefined && options.template === undefined)
        throw new UsageError('Add --at SECONDS, the time of the frame.')
      const { runProcessingCommand } = await import('../batch/run-processing-command.ts')
      await runProcessingCommand(
        words,
        { verb: 'screenshot', operations: [], outputs: options.output, fields: { seconds: options.at } },
        options,
        openLocal,
      )
    })
}

function seconds(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number of seconds.')
}
