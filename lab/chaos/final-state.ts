import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '@mediamill/server/app/shared-resources'
import { readConfig } from '@mediamill/server/config/config'
import { sweepOrphans } from '@mediamill/server/requests/cleanup/sweep-orphans'
import { sweepSegments } from '@mediamill/server/requests/segments/remove'
import type { Store } from '@mediamill/server/store/store'
import { run } from '../support/process.ts'
import { checkUploads, sweepDeadUploads } from './check-uploads.ts'
import type { Environment } from './environment.ts'
import { enginesOf } from './fleet.ts'
import type { GuaranteeResult } from './guarantees.ts'
import type { RequestRecord } from './records.ts'
import { countWrongBalances, sumHolds } from './records.ts'

export async function checkLedger(environment: Environment): Promise<GuaranteeResult[]> {
  const { held, open } = await sumHolds(environment.sql)
  const wrong = await countWrongBalances(environment.sql)
  const verify = run(['ledger', 'verify', '--json'], environment.settings)
  const code = await verify.ended
  return [
    {
      guarantee: 'no account has a held balance or counts an open request',
      violations: held + open === 0 ? [] : [`held balance ${held}, open requests ${open}`],
    },
    {
      guarantee: 'every balance equals the sum of its ledger entries',
      violations: wrong === 0 ? [] : [`${wrong} accounts`],
    },
    {
      guarantee: '`mediamill ledger verify` reports no difference',
      violations: code === 0 ? [] : [verify.out() + verify.err()],
    },
  ]
}

/**
 * Checks that the store contains exactly the files in the database. First deletes files that only crashes left, which
 * the service would delete in its daily cleanup. `swept` is the number of these files.
 */
export async function checkStore(
  environment: Environment,
  records: readonly RequestRecord[],
): Promise<{ verdicts: GuaranteeResult[]; swept: number; sweptUploads: number }> {
  const store = await openStore({ ...readConfig(environment.settings), databaseUrl: '', secretKey: '' })
  const files = records.flatMap(({ id, files }) => (files ?? []).map((file) => ({ id, ...file })))
  const soon = new Date(Date.now() + 3_600_000)
  await sweepSegments(environment.sql, store.delete)
  const [left] = await environment.sql<{ rows: number }[]>`
    select (select count(*) from part_plans)::integer + (select count(*) from video_parts)::integer as rows`
  const swept = await sweepOrphans(environment.sql, store, soon)
  const sweptUploads = await sweepDeadUploads(environment.sql, store)
  await store.sweep(soon)
  const stored = new Set(await Array.fromAsync(store.keys(soon)))
  const uploadParts = await environment.sql<{ key: string }[]>`select key from upload_parts where size is not null`
  const thumbnails = files.flatMap(({ thumbnail }) => thumbnail ?? [])
  const known = new Set([...[...files, ...uploadParts].map(({ key }) => key), ...thumbnails])
  const verdicts = [
    {
      guarantee: 'the store has every result of every succeeded request at its full size',
      violations: await findMissing(store, files),
    },
    {
      guarantee: 'after cleanup, every file in the store belongs to a request or an upload',
      violations: [...stored].filter((key) => !known.has(key)),
    },
    {
      guarantee: 'no segment of a finished video remains in the database',
      violations: left?.rows === 0 ? [] : [`${left?.rows} rows`],
    },
    ...(await checkUploads(environment.sql, store, stored)),
  ]
  return { verdicts, swept, sweptUploads }
}

async function findMissing(store: Store, files: { id: number; key: string; size: number }[]): Promise<string[]> {
  const missing: string[] = []
  for (const { id, key, size } of files) {
    const found = await store.size(key)
    if (found !== size) missing.push(`request ${id}: ${found ?? 'no'} bytes of ${size}`)
  }
  return missing
}

export async function checkRemains(environment: Environment): Promise<GuaranteeResult[]> {
  const scratch = await readdir(join(environment.dataDir, 'scratch'))
  const engines = enginesOf(environment.dataDir)
  return [
    { guarantee: 'no scratch folder of a dead worker remains', violations: scratch },
    { guarantee: 'no engine outlives its worker', violations: engines.map((pid) => `process ${pid}`) },
  ]
}
