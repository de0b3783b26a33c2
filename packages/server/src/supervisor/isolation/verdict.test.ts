import assert from 'node:assert/strict'
import { chmod, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import { pino } from 'pino'
import { openScratch } from '../scratch.ts'
import { openPrivateFolder } from './private-folder.ts'
import { forgetSandbox, recallSandbox } from './verdict.ts'

const FAKE_ENGINE = join(import.meta.dirname, '../../../../../lab/fixtures/engines/fake-engine.ts')

const root = await sharedFolder('mediamill-verdict-')
await chmod(root, 0o711)
const scratch = shared(await openScratch(join(root, 'here/scratch')))

const notesAt = async (name: string) => {
  const notes = await openPrivateFolder(join(root, name))
  assert.ok(notes)
  return notes
}

async function choose(notes: Awaited<ReturnType<typeof notesAt>> | undefined, setting: 'auto' | 'process' = 'auto') {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const sandbox = await recallSandbox({ setting, scratch, entries: [FAKE_ENGINE], log }, notes)
  return { sandbox, wasTried: lines.some((line) => line.includes('engines run inside')) }
}

test('a worker reuses the result of a sandbox test from the same boot of the machine', async () => {
  const notes = await notesAt('same')
  const first = await choose(notes)
  const second = await choose(notes)
  assert.deepEqual([first.wasTried, second.wasTried], [true, false])
  assert.deepEqual(
    [second.sandbox.tier, second.sandbox.description, second.sandbox.reach, second.sandbox.user],
    [first.sandbox.tier, first.sandbox.description, first.sandbox.reach, first.sandbox.user],
  )
})

test('a worker tests the sandbox again after a change of the host, boot, version, or setting', async () => {
  const notes = await notesAt('other')
  await choose(notes)
  assert.equal((await choose(notes, 'process')).wasTried, true)
  const path = join(root, 'other/sandbox.json')
  await writeFile(path, (await readFile(path, 'utf8')).replace(/"host":"\w+"/, '"host":"another"'), { mode: 0o600 })
  assert.equal((await choose(notes, 'process')).wasTried, true)
  await writeFile(path, '{"host":', { mode: 0o600 })
  assert.equal((await choose(notes, 'process')).wasTried, true)
})

test('a worker tests the sandbox again after an engine was lost', async () => {
  const notes = await notesAt('forgotten')
  await choose(notes, 'process')
  await forgetSandbox(notes)
  assert.equal((await choose(notes, 'process')).wasTried, true)
})

test('every command tests the sandbox if its user has no private folder to store the result', async () => {
  assert.equal((await choose(undefined, 'process')).wasTried, true)
})

test('the worker stores no result of a sandbox test in a folder that is a link, or that other users can read or write', async () => {
  for (const mode of [0o770, 0o707, 0o755]) {
    const path = join(root, `open-${mode.toString(8)}`)
    await mkdir(path)
    await chmod(path, mode)
    assert.equal(await openPrivateFolder(path), undefined, mode.toString(8))
  }
  await mkdir(join(root, 'mine'), { mode: 0o700 })
  await symlink(join(root, 'mine'), join(root, 'link'))
  assert.equal(await openPrivateFolder(join(root, 'link')), undefined)
  await writeFile(join(root, 'file'), '')
  assert.equal(await openPrivateFolder(join(root, 'file')), undefined)
})

test('the worker ignores a stored result of a sandbox test that is a link, has a second hard link, or is writable by other users', async () => {
  const notes = await notesAt('notes')
  await notes.write('own', 'ours')
  assert.equal(await notes.read('own'), 'ours')
  assert.deepEqual(await readdir(join(root, 'notes')), ['own'])
  await symlink(join(root, 'notes/own'), join(root, 'notes/link'))
  assert.equal(await notes.read('link'), undefined)
  await link(join(root, 'notes/own'), join(root, 'notes/second'))
  assert.equal(await notes.read('second'), undefined)
  await notes.write('open', 'ours')
  await chmod(join(root, 'notes/open'), 0o664)
  assert.equal(await notes.read('open'), undefined)
})
