import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatCount } from '@mediamill/contract/lib/format-text'
import type { LedgerReport } from '../../accounts/ledger-audit.ts'
import { verifyLedger } from '../../accounts/ledger-audit.ts'
import { isInstalled } from '../../app/installation.ts'
import { belongsToAnother } from '../../app/own-store.ts'
import { openStore } from '../../app/shared-resources.ts'
import type { Config } from '../../config/config.ts'
import { readConfig } from '../../config/config.ts'
import { readDatabaseId } from '../../db/database-id.ts'
import { SchemaTooNewError, schemaVersion } from '../../db/migrate.ts'
import type { Restored } from '../../db/restored.ts'
import { listNewestFiles, readOnly, readRestored } from '../../db/restored.ts'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { readMarker } from '../../store/marker.ts'
import type { Store } from '../../store/store.ts'
import { missingMigrations, openDatabase } from '../open-database.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'
import { checkKeys } from './keys.ts'

const TIMEOUT_MS = 10_000

const MAX_NAMED = 5

/** Checks a restored database: its schema, secret keys, ledger, and result files. Writes nothing, starts no work. */
export async function examineRestored(results: number, config: Config = readConfig()): Promise<Finding[]> {
  if (!(await isInstalled(config))) {
    throw new OperatorError(
      `There is no database in ${config.dataDir}: set DATA_DIR or DATABASE_URL to the restored copy.`,
    )
  }
  const options = { timeoutMs: TIMEOUT_MS, applicationName: 'mediamill restore check' }
  await using database = await openDatabase(config, options)
  const { sql } = database
  try {
    const missing = await missingMigrations(sql)
    if (missing !== undefined) {
      const remedy = 'Check with the version that made the backup, or run mediamill migrate on the copy.'
      return [fault('schema', `${missing} missing in the copy`, remedy)]
    }
    const schema = await schemaVersion()
    return await sql.begin(async (tx) => {
      await readOnly(tx)
      return [
        good('schema', `schema ${schema}, as this program expects`),
        describeTimes(await readRestored(tx)),
        await checkKeys(tx, database.config),
        checkLedger(await verifyLedger(tx)),
        ...(await checkFiles(config, await readDatabaseId(tx), await listNewestFiles(tx, results))),
      ]
    })
  } catch (error) {
    if (error instanceof SchemaTooNewError) return [fault('schema', error.message, 'Install the newer version.')]
    throw error
  }
}

function describeTimes({ lastRequestAt, lastEntryAt, openRequests, dueEvents }: Restored): Finding {
  const [request, entry] = [lastRequestAt, lastEntryAt].map((at) => at?.toISOString() ?? 'none')
  const message = `last request ${request}, last ledger entry ${entry}; a start would run ${formatCount(openRequests, 'request')} and deliver ${formatCount(dueEvents, 'event')}`
  return good('copy', message)
}

function checkLedger({ differences, mischarged, overdrawn }: LedgerReport): Finding {
  const problems = differences.length + mischarged.length + overdrawn.length
  if (problems === 0) return good('ledger', 'every balance is the sum of its entries, and every charge is right')
  const message = `${formatCount(differences.length, 'wrong balance')}, ${formatCount(mischarged.length, 'wrong charge')}, ${formatCount(overdrawn.length, 'overdrawn account')}`
  return fault('ledger', message, 'Run mediamill ledger verify for the rows. Restore another backup.')
}

const NOTHING_CHECKED = warning(
  'files',
  'no file was checked: the copy has no unexpired result',
  'Restore a newer backup, or compare some files of the store yourself.',
)

type Sampled = Awaited<ReturnType<typeof listNewestFiles>>

async function checkFiles(config: Config, databaseId: string, sample: Sampled): Promise<Finding[]> {
  if (config.storageUrl === undefined && !existsSync(join(config.dataDir, 'results'))) {
    if (sample.length === 0) return [NOTHING_CHECKED]
    const message = `${join(config.dataDir, 'results')} does not exist, and the copy has results`
    return [fault('files', message, 'Restore the directory too, or set STORAGE_URL to a copy of the bucket.')]
  }
  try {
    return await withTimeout(compareFiles(config, databaseId, sample), TIMEOUT_MS + 100 * sample.length, () => {
      throw new Error('the store did not respond in time')
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [fault('files', `the store cannot be read: ${reason}`, 'Check STORAGE_URL and the AWS_* credentials.')]
  }
}

async function compareFiles(config: Config, databaseId: string, sample: Sampled): Promise<Finding[]> {
  const store = await openStore(config)
  const owner = await readMarker(store)
  const foreign =
    owner === undefined || owner === databaseId
      ? []
      : [fault('store', belongsToAnother(config, owner).message, 'Set STORAGE_URL to the copy of the bucket.')]
  const wrong: string[] = []
  for (const { id, files } of sample) {
    for (const file of files) if (!(await isComplete(store, file))) wrong.push(`request ${id}`)
  }
  const count = sample.reduce((sum, { files }) => sum + files.length, 0)
  if (count === 0) return [...foreign, NOTHING_CHECKED]
  if (wrong.length === 0)
    return [
      ...foreign,
      good(
        'files',
        `${formatCount(count, 'file')} of ${formatCount(sample.length, 'result')} ${count === 1 ? 'is' : 'are'} complete`,
      ),
    ]
  const named = [...new Set(wrong)].slice(0, MAX_NAMED).join(', ')
  const message = `${wrong.length} of ${count} files are missing or have another size (${named})`
  const remedy = 'Copy the bucket after the database. Results without a file return 410 or 404 until they expire.'
  return [...foreign, warning('files', message, remedy)]
}

const isComplete = async (store: Store, { key, size }: Sampled[number]['files'][number]) =>
  (await store.size(key)) === size
