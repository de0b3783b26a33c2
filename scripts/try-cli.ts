/** Packs the command line, checks it with publint, installs it, and runs every marked example of its README. */
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { startService } from '@mediamill/lab/support/service'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import { runProgram } from './client/try/run-program.ts'

const MAX_BYTES = 1024 * 1024
const PUBLINT = 'publint@0.3.25'

const home = join(import.meta.dirname, '../packages/cli')
const say = (line: string) => process.stdout.write(`${line}\n`)
const folder = await mkdtemp(join(tmpdir(), 'mediamill-try-cli-'))
const [app, tools, work] = ['app', 'tools', 'work'].map((name) => join(folder, name)) as [string, string, string]
const npm = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
try {
  for (const path of [app, tools, join(work, 'in')]) await mkdir(path, { recursive: true })
  for (const path of [app, tools]) await writeFile(join(path, 'package.json'), '{ "private": true }\n')
  const packed = await runProgram('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: home })
  const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '')
  const { size } = await stat(tarball)
  if (size > MAX_BYTES) throw new Error(`the package has ${size} bytes`)
  await runProgram('npm', ['install', ...npm, tarball], { cwd: app })
  await runProgram('npm', ['install', ...npm, PUBLINT], { cwd: tools })
  const publint = join(tools, 'node_modules/publint/src/cli.js')
  await runProgram(process.execPath, [publint, 'run', tarball, '--strict'], { cwd: app })
  say(`publint finds nothing in the package of ${size} bytes.`)

  for (const name of ['photo.jpg', 'in/one.jpg']) await copyFile(sampleFile('photo.jpg'), join(work, name))
  for (const name of ['logo.png', 'in/two.png']) await copyFile(sampleFile('logo.png'), join(work, name))
  await using service = await startService()
  const env = {
    MEDIAMILL_URL: service.url,
    MEDIAMILL_API_KEY: service.account.liveKey,
    HOME: work,
    // Put the project's Node.js first, because the machine's may be older.
    PATH: [join(app, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
  }
  const examples = await examplesOf(join(home, 'README.md'))
  for (const example of examples) await runProgram('sh', ['-eu', '-c', example], { cwd: work, env })
  for (const made of ['small.webp', 'gray.png', 'thumbs/one.jpg', 'thumbs/two.jpg', 'out/one.jpg', 'icons/two.jpg']) {
    if ((await stat(join(work, made))).size === 0) throw new Error(`${made} is empty`)
  }
  say(`${examples.length} examples of its README run.`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit(0)

async function examplesOf(path: string): Promise<string[]> {
  const page = await readFile(path, 'utf8')
  const found = [...page.matchAll(/<!-- run by scripts\/try-cli\.ts -->\n```sh\n([^]*?)```/g)].map(
    ([, code = '']) => code,
  )
  if (found.length === 0) throw new Error('the README has no example that is run')
  return found
}
