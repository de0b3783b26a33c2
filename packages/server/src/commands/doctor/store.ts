import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { belongsToAnother } from '../../app/own-store.ts'
import { openStore } from '../../app/shared-resources.ts'
import type { Config } from '../../config/config.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { readDatabaseId } from '../../db/database-id.ts'
import { codeOf } from '../../lib/error-code.ts'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { STORE_STEPS, tryStore } from '../../store/health.ts'
import { readMarker } from '../../store/marker.ts'
import type { Finding } from './finding.ts'
import { fault, good } from './finding.ts'

const TIMEOUT_MS = 10_000

const REMEDY =
  'Check STORAGE_URL (bucket, endpoint, region) and the AWS_* credentials: list, get, put, and delete are required.'

export async function checkStore(config: Config): Promise<Finding> {
  if (config.storageUrl === undefined) return await checkFolder(config.dataDir)
  const { bucket } = config.storageUrl
  try {
    const failed = await withTimeout(tryStore(await openStore(config)), TIMEOUT_MS, () => ({
      step: STORE_STEPS[0],
      error: 'timeout',
    }))
    const steps = failed === undefined ? STORE_STEPS : STORE_STEPS.slice(0, STORE_STEPS.indexOf(failed.step))
    const passed = steps.map((step) => `${step} ✓`)
    if (failed === undefined) return good('store', `bucket ${bucket}: ${passed.join(', ')}`)
    const { error } = failed
    const reason = String(codeOf(error) ?? (error instanceof Error ? error.name : error))
    return fault('store', `bucket ${bucket}: ${[...passed, `${failed.step} failed (${reason})`].join(', ')}`, REMEDY)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return fault('store', `the bucket ${bucket} cannot be opened`, error.message)
  }
}

async function checkFolder(dataDir: string): Promise<Finding> {
  try {
    await access(dataDir, constants.W_OK)
    return good('store', `results are kept in ${dataDir}`)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      return good('store', `results will be kept in ${dataDir}, which the first start creates`)
    }
    return fault(
      'store',
      `${dataDir} cannot be written`,
      'Give this user write access, or set DATA_DIR to another folder.',
    )
  }
}

export async function checkOwner(sql: Sql, config: Config): Promise<Finding[]> {
  if (config.storageUrl === undefined && !existsSync(join(config.dataDir, 'results'))) return []
  const read = async () => await readMarker(await openStore(config))
  // Ignores a store that does not respond, because `checkStore` reports it.
  const owner = await withTimeout(read(), TIMEOUT_MS, () => undefined).catch(() => undefined)
  if (owner === undefined || owner === (await readDatabaseId(sql))) return []
  const { message } = belongsToAnother(config, owner)
  return [fault('store', message, 'The cleanup of each database deletes the files of the other database.')]
}
