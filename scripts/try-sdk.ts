/** Packs the library, installs it into an empty folder, and runs it against a service in every supported runtime. */
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@mediamill/lab/support/process'
import { startService } from '@mediamill/lab/support/service'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'
import type { Verdict } from '../packages/sdk/test/suite.ts'
import { compileTypes } from './client/try/compile-types.ts'
import { runInChromium } from './client/try/in-chromium.ts'
import { runInWorkerd } from './client/try/in-workerd.ts'
import { writeCommonJs, writeReadmePrograms, writeSuite } from './client/try/programs.ts'
import { runProgram } from './client/try/run-program.ts'
import { openWorkshop } from './client/try/workshop.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const pagePort = await freePort()
await using workshop = await openWorkshop()
await using service = await startService({ settings: { CORS_ORIGINS: `http://127.0.0.1:${pagePort}` } })
const { app, tool, tarball } = workshop

await runProgram(process.execPath, [tool('publint/src/cli.js'), 'run', tarball, '--strict'], { cwd: app })
await runProgram(process.execPath, [tool('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'node16'], {
  cwd: app,
})
say('publint and attw find nothing in the package.')

await copyFile(sampleFile('photo.jpg'), join(app, 'photo.jpg'))
await mkdir(join(app, 'files'))
const photo = await readFile(sampleFile('photo.jpg'), 'base64')
const base = { baseUrl: service.url, apiKey: service.account.liveKey, photo }
const env = { MEDIAMILL_URL: base.baseUrl, MEDIAMILL_API_KEY: base.apiKey }

const node = (name: string) => ({ name, command: tool(`${name}/bin/node`), args: [] as string[] })
const runtimes = [
  ...['node20', 'node22', 'node24', 'node26'].map(node),
  { name: 'bun', command: tool('.bin/bun'), args: ['run'] },
  { name: 'deno', command: tool('.bin/deno'), args: ['run', '--allow-all'] },
]

const suite = await writeSuite(app, 'console', { ...base, folder: join(app, 'files') })
const programs = await writeReadmePrograms(app)
// This flag turns off require() of ES modules, so that only the CommonJS build can be loaded.
const required = await writeCommonJs(app)
await runProgram(tool('node20/bin/node'), ['--no-experimental-require-module', required], { cwd: app, env })
say('CommonJS: require() loads both entries, and a client makes a call.')
for (const { name, command, args } of runtimes) {
  const out = await runProgram(command, [...args, suite], { cwd: app })
  reportVerdicts(name, JSON.parse(out.trim().split('\n').at(-1) ?? '') as Verdict[])
  for (const program of programs) await runProgram(command, [...args, program], { cwd: app, env })
}
reportVerdicts('workerd', await runInWorkerd(tool('.bin/workerd'), app, await writeSuite(app, 'workerd', base)))
reportVerdicts('chromium', await runInChromium(pagePort, await writeSuite(app, 'page', base), app))

const uses = await readFile(new URL('../packages/sdk/test/type-uses.ts', import.meta.url), 'utf8')
say(`The types compile under ${(await compileTypes(workshop, uses)).join(', ')}.`)

function reportVerdicts(runtime: string, verdicts: readonly Verdict[]): void {
  const wrong = verdicts.filter(({ error }) => error !== undefined)
  for (const { name, error } of wrong) say(`${runtime}: ${name}\n${error}`)
  if (wrong.length > 0 || verdicts.length === 0) throw new Error(`${runtime}: ${wrong.length} checks failed`)
  say(`${runtime}: ${verdicts.length} checks are green.`)
}
