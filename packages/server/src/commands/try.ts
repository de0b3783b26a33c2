import { dirname } from 'node:path'
import type { ProcessingOptions } from '@mediamill/cli/src/batch/processing-options'
import type { OpenLocal } from '@mediamill/cli/src/batch/run-processing-command'
import { isUrl } from '@mediamill/cli/src/inputs/input'
import { addOperationFlags } from '@mediamill/cli/src/operations/operation-flags'
import type { Command } from 'commander'

export function register(program: Command, openLocal?: OpenLocal): void {
  const command = program
    .command('try')
    .description('Process an image, video, or PDF on this machine, without a server. Saves the result next to it.')
    .argument('<file>', 'the file; without an operation, its metadata is printed')
  const operations = addOperationFlags(command)
  command
    .option('--format <format>', 'format of the result, such as webp (default: jpg, mp4, or pdf)')
    .option('-o, --out <file>', 'output file (default: next to the input file)')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ProcessingOptions) => {
      const verb = operations.length === 0 ? 'read' : 'process'
      const local = { ...options, local: true as const, outFolder: isUrl(file) ? '.' : dirname(file) }
      const { runProcessingCommand } = await import('@mediamill/cli/src/batch/run-processing-command')
      await runProcessingCommand([file], { verb, operations, fields: {} }, local, openLocal)
    })
}

const HELP = `
The same as mediamill process --local for one file. Operations run in the order typed. A watermark can be a local file.

Examples:
  mediamill try photo.jpg --orient --resize 800x800
  mediamill try photo.heic --orient --resize 800x600,crop_center --filter valencia,strength=60 --format webp
  mediamill try offer.pdf --watermark logo.png,x=20,y=20`
