import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { canRetry, crashFailure, EngineCrashError, removeAttemptFiles } from './engine-crash.ts'
import { EngineLost } from './engine-process.ts'

const folder = await sharedFolder('mediamill-engine-crash-')

test('before a job is repeated, the files and folders of the lost attempt are deleted, and the files of the job are kept', async () => {
  const scratch = await mkdtemp(join(folder, 'job-'))
  await mkdir(join(scratch, 'tiles/deep'), { recursive: true })
  for (const name of ['source', 'logo', 'result', 'tiles/deep/1']) await writeFile(join(scratch, name), name)
  // Deleting files uses only these properties of the job.
  const job = { scratch, input: { path: '/in/source' }, assets: [{ path: '/in/logo' }] } as unknown as AnyJob
  await removeAttemptFiles(job)
  assert.deepEqual((await readdir(scratch)).toSorted(), ['logo', 'source'])
  await removeAttemptFiles({ ...job, input: undefined })
  assert.deepEqual(await readdir(scratch), ['logo'])
})

test('a job is repeated only if another job caused the loss of its engine and its folder still exists', async () => {
  const scratch = await mkdtemp(join(folder, 'job-'))
  // The decision uses only this property of the job.
  const job = { scratch } as unknown as AnyJob
  const lost = (isJobs: boolean) => new EngineCrashError(new EngineLost('killed'), { hasReceivedJob: true, isJobs })
  assert.deepEqual([await canRetry(job, lost(false)), await canRetry(job, lost(true))], [true, false])
  await rm(scratch, { recursive: true })
  await writeFile(scratch, '')
  assert.equal(await canRetry(job, lost(false)), false)
})

test('a lost engine fails the request only if it had received the job', () => {
  const lost = new EngineLost('killed')
  const received = new EngineCrashError(lost, { hasReceivedJob: true, isJobs: true })
  const failure = crashFailure(received)
  assert.equal('code' in failure && failure.code, 'processing_failed')
  assert.equal(failure.cause, lost)
  const unreceived = new EngineCrashError(lost, { hasReceivedJob: false, isJobs: false })
  assert.equal(crashFailure(unreceived), unreceived)
})
