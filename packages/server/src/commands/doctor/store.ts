import { access, constants } from 'node:fs/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { openStore } from '../../app/parts.ts'
import type { Config } from '../../config/config.ts'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { tryStore } from '../../store/health.ts'
import type { Finding } from './finding.ts'
import { fault, good } from './finding.ts'

/** Time limit for all steps of the test. */
const PATIENCE_MS = 10_000

const REMEDY =
  'Check STORAGE_URL (bucket, endpoint, region) and the AWS_* credentials: list, get, put, and delete are required.'

/** Tests the storage of results. */
export async function judgeStore(config: Config): Promise<Finding> {
  if (config.storageUrl === undefined) return await judgeFolder(config.dataDir)
  const { bucket } = config.storageUrl
  try {
    const failed = await withTimeout(tryStore(await openStore(config)), PATIENCE_MS, () => ({
      step: 'connect',
      error: 'timeout',
    }))
    if (failed === undefined) return good('store', `the bucket ${bucket} is available; put, get, and delete work`)
    const reason = failed.error instanceof Error ? failed.error.name : String(failed.error)
    return fault('store', `the bucket ${bucket} is unavailable or denies access (${failed.step}: ${reason})`, REMEDY)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return fault('store', `the bucket ${bucket} cannot be opened`, error.message)
  }
}

async function judgeFolder(dataDir: string): Promise<Finding> {
  try {
    await access(dataDir, constants.W_OK)
    return good('store', `results are kept in ${dataDir}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return good('store', `results will be kept in ${dataDir}, which the first start creates`)
    }
    return fault(
      'store',
      `${dataDir} cannot be written`,
      'Give this user write access, or set DATA_DIR to another folder.',
    )
  }
}
