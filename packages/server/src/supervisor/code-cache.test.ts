import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { standing, tryWalls } from '@mediamill/lab/support/walls-of-host'
import { COMPILE_CACHE } from '../app/postgres/paths.ts'
import { openCodeCache } from './code-cache.ts'
import { CODE_CACHE_ROOT } from './isolation/command.ts'
import type { Isolation } from './isolation/isolation.ts'
import { startEngine } from './isolation/isolation.ts'
import { candidates } from './isolation/tiers.ts'
import { openScratch } from './scratch.ts'

const FAKE_ENGINE = join(import.meta.dirname, '../../../../lab/fixtures/engines/fake-engine.ts')
const PROBE = { entry: FAKE_ENGINE, memoryBytes: 512 * 1024 * 1024, cpuMs: 60_000, fileBytes: 1024 }

const root = await mkdtemp(join(tmpdir(), 'mediamill-code-cache-'))
await chmod(root, 0o711)
const scratch = await openScratch(join(root, 'scratch'))
after(async () => {
  await scratch[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

enableCompileCache(COMPILE_CACHE)
const directory = getCompileCacheDir() ?? ''
assert.ok(directory.startsWith(CODE_CACHE_ROOT), 'the tests run from an installation that can be written')
// Before any test, because `after` runs when the registered tests are done, even if this file still waits.
const codeCache = await openCodeCache([FAKE_ENGINE])

test('compiled code is found by every user id that Node can see in a sandbox', async () => {
  assert.equal(codeCache, COMPILE_CACHE)
  const own = await readdir(directory)
  assert.ok(own.length > 0)
  for (const uid of [65_534, 0]) {
    assert.deepEqual(await readdir(join(COMPILE_CACHE, basename(directory).replace(/\d+$/, String(uid)))), own)
  }
})

for (const candidate of candidates(codeCache)) {
  test(`${candidate.description}: runs compiled code only if the engine cannot write it`, async (t) => {
    const sandbox = standing(t, candidate, await tryWalls(candidate, { scratch, entries: [FAKE_ENGINE] }))
    if (sandbox === undefined) return
    const isGuarded = sandbox.tier !== 'process' && sandbox.user === undefined
    const { folder } = await ask(sandbox, { act: 'compiled' })
    assert.equal(folder === '' ? '' : dirname(String(folder)), isGuarded ? COMPILE_CACHE : '')
    if (!isGuarded) return

    const files = await kept()
    const [file = ''] = files
    assert.equal((await ask(sandbox, { act: 'trespass', read: file }))['read'], file)
    // Without Node's permission model, like an engine that an attacker controls.
    const write = [...files, join(directory, 'poison')].join(' ')
    assert.equal((await ask(sandbox, { act: 'trespass', write }, true))['written'], '')
  })
}

/** Returns the reply of a fake engine in the sandbox. */
async function ask(sandbox: Isolation, parameters: Record<string, string>, isBare = false) {
  await using engine = startEngine(sandbox, scratch, PROBE, isBare)
  await engine.ready
  const answer = await engine.ask(
    {
      task: 'x',
      input: { path: engine.folder.path, format: 'PNG', size: 0 },
      assets: [],
      parameters,
      scratch: engine.folder.path,
      limits: { maxFramePixels: 0, maxSourcePixels: 0, maxResultBytes: 0 },
    },
    { progress() {}, grant: () => Promise.reject(new Error('it asks for nothing')) },
  )
  assert.ok(answer.type === 'done')
  return answer.data
}

test('ignores compiled code that other users can write', async () => {
  const { mode } = await stat(directory)
  await chmod(directory, 0o777)
  try {
    assert.equal(await openCodeCache([FAKE_ENGINE]), undefined)
  } finally {
    await chmod(directory, mode)
  }
})

test('ignores compiled code outside the installation', () => {
  const code = `const { openCodeCache } = await import(${JSON.stringify(join(import.meta.dirname, 'code-cache.ts'))})
    console.log(String(await openCodeCache([])))`
  const env = { NODE_COMPILE_CACHE: join(root, 'elsewhere') }
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { env, encoding: 'utf8' })
  assert.equal(said.trim(), 'undefined')
})

async function kept(): Promise<string[]> {
  return (await readdir(directory)).map((name) => join(directory, name))
}
