import { fileURLToPath } from 'node:url'
import type { OpenLocal } from '@mediamill/cli/src/batch/run-processing-command'
import type { Command } from 'commander'

const LANDSCAPE = fileURLToPath(new URL('./demo/landscape.jpg', import.meta.url))
const LOGO = fileURLToPath(new URL('./demo/logo.png', import.meta.url))

const OPERATIONS = [
  { type: 'orient' },
  { type: 'resize', width: 1200, height: 1200 },
  { type: 'watermark', image_url: LOGO, x: 990, y: 590 },
]

export function register(program: Command, openLocal?: OpenLocal): void {
  program
    .command('demo')
    .description('Process a sample image on this machine, without a server.')
    .option('-o, --out <file>', 'output file', 'demo-result.jpg')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExample:\n  mediamill demo --out image.jpg')
    .action(async (options: { out: string; json?: true }) => {
      const local = { ...options, local: true, force: true } as const
      const { runProcessingCommand } = await import('@mediamill/cli/src/batch/run-processing-command')
      await runProcessingCommand([LANDSCAPE], { verb: 'process', operations: OPERATIONS, fields: {} }, local, openLocal)
    })
}
