import assert from 'node:assert/strict'
import { lstatSync } from 'node:fs'
import { chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { EngineJob } from '@mediamill/engines/protocol/messages'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { maxFilesOf } from './engine-watch.ts'
import { openWorkspace } from './job-workspace.ts'

const root = await sharedFolder('mediamill-loan-')

const NOBODY = { uid: 65_534, gid: 65_534 }
const IS_ROOT = process.getuid?.() === 0

async function makeJob(name: string): Promise<{ job: EngineJob; engine: string }> {
  const scratch = join(root, name)
  const engine = join(root, `${name}-engine`)
  await mkdir(scratch)
  await mkdir(engine)
  const path = join(scratch, 'source')
  await writeFile(path, 'source')
  const limits = { maxFramePixels: 1, maxSourcePixels: 1, maxResultBytes: 1 }
  return {
    job: { task: 'x', input: { path, format: 'PNG', size: 6 }, assets: [], parameters: {}, scratch, limits },
    engine,
  }
}

test('opening a job folder for an engine does not change the owner of a file to which a link in the folder leads', {
  skip: !IS_ROOT && 'only root gives files away',
}, async () => {
  const { job, engine } = await makeJob('link')
  const workspace = openWorkspace(job, engine, NOBODY)
  assert.equal((await stat(workspace.job.input.path)).uid, NOBODY.uid)
  const theirs = join(root, 'theirs')
  await writeFile(theirs, 'theirs')
  await chown(theirs, NOBODY.uid, NOBODY.gid)
  await symlink(theirs, join(workspace.job.scratch, 'link'))
  workspace.takeBack()
  assert.equal((await stat(theirs)).uid, NOBODY.uid)
  assert.equal(lstatSync(join(job.scratch, 'link')).uid, process.getuid?.())
})

test('the worker rejects a job folder with more files than the engine may create', {
  skip: !IS_ROOT && 'only root gives files away',
}, async () => {
  const { job, engine } = await makeJob('full')
  const workspace = openWorkspace(job, engine, NOBODY)
  for (let index = 0; index < maxFilesOf(job); index += 1)
    await writeFile(join(workspace.job.scratch, String(index)), '')
  assert.throws(() => workspace.takeBack(), /the job folder was removed or replaced/)
})

test('a job folder may contain 100 files plus one per input asset', () => {
  const asset = { url: '0', path: '/0', format: 'MP4', size: 1 } as const
  assert.deepEqual([maxFilesOf({ assets: [] }), maxFilesOf({ assets: Array(351).fill(asset) })], [100, 451])
})
