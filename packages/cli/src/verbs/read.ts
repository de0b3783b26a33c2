import type { Command } from 'commander'
import { Option } from 'commander'
import type { ProcessingOptions } from '../batch/processing-options.ts'
import { addProcessingOptions } from '../batch/processing-options.ts'
import type { OpenLocal } from '../batch/run-processing-command.ts'

const LEVELS = ['basic', 'full']

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('read')
    .description('Show metadata of images, videos, and PDFs: size, format, duration, pages, and more.')
    .argument('<input...>', 'files, folders, globs, URLs, or - for stdin')
  addProcessingOptions(command, { makes: 'metadata', hasLocal: openLocal !== undefined })
  command
    .addOption(
      new Option(
        '--level <level>',
        'how much to read of images: full adds camera, time, rights, location, and colors',
      ).choices(LEVELS),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mediamill read photo.heic\n  mediamill read photo.jpg --level full\n  mediamill read *.mp4 --json | jq .data.duration',
    )
    .action(async (words: string[], options: ProcessingOptions & { level?: string }) => {
      const { runProcessingCommand } = await import('../batch/run-processing-command.ts')
      await runProcessingCommand(
        words,
        { verb: 'read', operations: [], fields: { level: options.level } },
        options,
        openLocal,
      )
    })
}
