import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { engineCommand } from '@mediamill/server/supervisor/isolation/command'
import { chooseFonts } from './choose-fonts.ts'

const folder = await sharedFolder('mediamill-fonts-')

const file = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** Draws text with a bundled font, and in a family that only the system font `machine.ttf` has. */
const PROGRAM = `
  const { default: sharp } = await import(${JSON.stringify(import.meta.resolve('sharp'))})
  const { makeFontKnown } = await import(${file('./draw-letters.ts')})
  const { chooseFonts } = await import(${file('./choose-fonts.ts')})
  await makeFontKnown(chooseFonts('a', 'arimo')[0].font)
  const draw = (family) => sharp({ text: { text: 'Sphinx', font: family + ', 40', dpi: 72 } }).raw().toBuffer()
  const [ours, asked] = [await draw('Arimo'), await draw('Courier Prime')]
  process.stdout.write(String(ours.equals(asked)))`

test('the image engine uses no system fonts from any folder [stamps.fonts.1]', async () => {
  const [run] = chooseFonts('a', 'courier_prime')
  assert.ok(run !== undefined)
  // A system configuration at fontconfig's default location.
  const machine = join(folder, 'machine.conf')
  const dir = join(run.font.path, '..')
  await writeFile(
    machine,
    `<?xml version="1.0"?><fontconfig><dir>${dir}</dir><cachedir>${folder}</cachedir></fontconfig>`,
  )
  const setting = { entry: '', folder, mountPoint: '', memoryBytes: 0, cpuMs: 0, fileBytes: 0 }
  const { environment } = engineCommand([], setting)
  const env = { FONTCONFIG_FILE: machine, ...environment }
  const drawn = async (environment: NodeJS.ProcessEnv) =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], { env: environment }))
      .stdout
  assert.equal(await drawn({ ...environment, FONTCONFIG_FILE: machine }), 'false', 'the machine has the font')
  assert.equal(await drawn(env), 'true')
})

test('a text watermark draws each letter in the requested font if the font has the letter, and draws Chinese characters in the style of the language of the text [stamps.fonts.2, stamps.fonts.3]', () => {
  const families = (text: string) => chooseFonts(text, 'tinos').map((run) => `${run.text}:${run.font.family}`)
  assert.deepEqual(families('a б ג'), ['a б ג:Tinos'])
  assert.deepEqual(families('骨かな'), ['骨かな:Noto Sans Japanese'])
  assert.deepEqual(families('骨 한'), ['骨:Noto Sans Korean', ' :Tinos', '한:Noto Sans Korean'])
  assert.deepEqual(families('骨ㄅ'), ['骨ㄅ:Noto Sans T Chinese'])
  assert.deepEqual(families('骨'), ['骨:Noto Sans S Chinese'])
  assert.deepEqual(families('❤ 1️⃣'), ['❤:Noto Emoji', ' :Tinos', '1️⃣:Noto Emoji'])
  assert.deepEqual(families('سلام'), ['سلام:Noto Naskh Arabic'])
  assert.throws(() => families('aก'), /U\+0E01/)
})
