import { access, constants } from 'node:fs/promises'
import { openStore } from '../../app/parts.ts'
import { OperatorError } from '../../domain/errors.ts'
import type { Config } from '../../runtime/config/config.ts'
import { isStoreReachable } from '../../store/health.ts'
import type { Finding } from './finding.ts'
import { fault, good } from './finding.ts'

/** Tries the place where results are kept. */
export async function judgeStore(config: Config): Promise<Finding> {
  if (config.storageUrl === undefined) return await judgeFolder(config.dataDir)
  const { bucket } = config.storageUrl
  try {
    if (await isStoreReachable(await openStore(config))) return good('store', `the bucket ${bucket} answers`)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return fault('store', `the bucket ${bucket} cannot be opened`, error.message)
  }
  const remedy =
    'Check STORAGE_URL (bucket, endpoint, region) and the AWS_* credentials: list, get, put and delete are needed.'
  return fault('store', `the bucket ${bucket} does not answer, or refuses`, remedy)
}

async function judgeFolder(dataDir: string): Promise<Finding> {
  try {
    await access(dataDir, constants.W_OK)
    return good('store', `results are kept in ${dataDir}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return good('store', `results will be kept in ${dataDir}, which the first start makes`)
    }
    return fault(
      'store',
      `${dataDir} cannot be written`,
      'Give this user the folder, or set DATA_DIR to one of its own.',
    )
  }
}
