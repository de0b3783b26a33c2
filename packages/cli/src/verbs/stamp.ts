import type { NewStampParams } from '@mediamill/sdk/src/api-types'
import { openFile } from '@mediamill/sdk/src/files/open-file'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { interrupts } from '../batch/interrupts.ts'
import { isUrl } from '../inputs/input.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { print } from '../terminal/output.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & { image?: string; json?: true } & StampFields

type StampFields = {
  font?: string
  size?: number
  color?: string
  align?: string
  outline?: object | true
  shadow?: object | true
  width?: number
  trim?: true
  opacity?: number
  rotation?: number
}

export function register(program: Command): void {
  const command = program
    .command('stamp')
    .description('Create a watermark from a text or a logo, for use with --watermark. Free, kept for 24 hours.')
    .argument('[text]', 'text of the watermark')
    .option('--image <file>', 'logo in place of a text: a file or a URL')
  command
    .option('--font <name>', 'font of the text')
    .option('--size <pixels>', 'font size', integer)
    .option('--color <color>', 'color of the text, such as ffffff')
    .option('--align <side>', 'alignment of lines: left, center, or right')
    .addOption(withParts('--outline [parts]', 'outline of the letters: color=000000,width=2'))
    .addOption(withParts('--shadow [parts]', 'shadow: color=000000,opacity=50,x=2,y=2,blur=4'))
    .option('--width <pixels>', 'width of the logo', integer)
    .option('--trim', 'remove the border of the logo')
    .option('--opacity <percent>', 'opacity, 1 to 100', integer)
    .option('--rotation <degrees>', 'clockwise rotation', integer)
  addServiceOptions(command)
  command
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nPrints the source of the watermark, upload:upl_….\n\nExamples:\n  mediamill stamp "© Ada 2026" --size 48 --color "#ffffffcc" --shadow\n  mediamill process photo.jpg --watermark "$(mediamill stamp "Draft" --rotation 45),x=20,y=20"',
    )
    .action(async (text: string | undefined, options: Options) => {
      const { url: _, profile: __, json, image, ...fields } = options
      const { signal } = interrupts()
      if ((text === undefined) === (image === undefined)) throw new UsageError('Pass either a text or --image FILE.')
      const { service } = await connect(options)
      const sourceOf = async (file: string) => (isUrl(file) || file.startsWith('upload:') ? file : await openFile(file))
      const drawn = { ...fields, outline: partsOf(fields.outline), shadow: partsOf(fields.shadow) }
      const body = image === undefined ? { type: 'text', text } : { type: 'image', source: await sourceOf(image) }
      const stamp = await service.stamps.create({ ...body, ...drawn } as NewStampParams, { signal })
      print(json, stamp, () => stamp.source)
    })
}

function integer(text: string): number {
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** Returns the value of a flag. For a flag without a value, returns an empty object, so that all defaults apply. */
const partsOf = (value: object | true | undefined) => (value === true ? {} : value)

const withParts = (flag: string, description: string) => new Option(flag, description).argParser(parts)

function parts(text: string): object {
  const words = text.split(',').filter((word) => word !== '')
  return Object.fromEntries(
    words.map((word): [string, string | number] => {
      const [, name, value] = /^([a-z]+)=(.+)$/.exec(word) ?? []
      if (name === undefined || value === undefined)
        throw new InvalidArgumentError('It must be name=value pairs separated by commas.')
      return [name, name === 'color' ? value : integer(value)]
    }),
  )
}
