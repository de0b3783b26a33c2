import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { fittingJobs } from './machine.ts'

const GIB = 1024 ** 3
const folder = await sharedFolder('mediamill-machine-test-')

async function limitsOf(files: string): Promise<string> {
  const path = join(folder, files)
  await writeFile(
    path,
    `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${files}       ${files}  files\n`,
  )
  return path
}

test('the number of concurrent jobs of a worker is reduced to fit its memory and open file limit, and is at least one', async () => {
  const [few, enough, unlimited] = [await limitsOf('256'), await limitsOf('20000'), await limitsOf('unlimited')]
  const jobs = async (wanted: number, memory: number, limits: string) => await fittingJobs(wanted, memory, limits)
  assert.equal(await jobs(64, GIB, enough), 4)
  assert.equal(await jobs(64, 16 * GIB - 1, enough), 63)
  assert.equal(await jobs(64, 16 * GIB, enough), 64)
  assert.equal(await jobs(64, 64 * GIB, few), 4)
  assert.equal(await jobs(3, GIB, few), 3)
  assert.equal(await jobs(64, GIB / 8, unlimited), 1)
  assert.equal(await jobs(64, 64 * GIB, await limitsOf('64')), 1)
  assert.equal(await jobs(64, 64 * GIB, unlimited), 64)
  assert.equal(await jobs(64, 64 * GIB, join(folder, 'none')), 64)
})
