import { VERSION } from '@mediamill/sdk/src/version'
import { CLIENT_COMMANDS } from './commands.ts'
import { runProgram } from './run-program.ts'

const DESCRIPTION =
  'Process images, videos, and PDFs with a Mediamill server: files, folders, and URLs, one or hundreds.'

const AFTER = `
Start with:
  mediamill login https://media.example.com
  mediamill process photo.jpg --orient --resize 800x800 -o small.webp`

process.exit(
  await runProgram(process.argv.slice(2), {
    commands: CLIENT_COMMANDS,
    description: DESCRIPTION,
    version: VERSION,
    after: AFTER,
  }),
)
