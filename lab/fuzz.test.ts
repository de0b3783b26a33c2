import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'
import { fuzz } from './support/fuzz.ts'

const service = await sharedService({ workers: false })

/** The seed of the random calls. To repeat a run, set `SEED`. To send more calls, set `CALLS`. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const CALLS = Number(process.env['CALLS'] ?? 1500)

test(`no random call returns 5xx, and every error has the documented shape [errors.body.1] (seed ${SEED})`, async () => {
  const counts = await fuzz(service, { calls: CALLS, seed: SEED })
  const seen = Object.keys(counts)
  for (const outcome of [
    '200',
    '202',
    '401 missing_api_key',
    '404 not_found',
    '422 validation_failed',
    '422 url_invalid',
  ]) {
    assert.ok(seen.includes(outcome), `${outcome} never happened: ${JSON.stringify(counts)}`)
  }
})
