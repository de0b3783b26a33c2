import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proveBatch } from '@mediamill/lab/support/kill-batch'

const FILES = 24

test('a command line batch continues after its service is killed twice, and each file has one result and one charge', async () => {
  const { code, failed, results, charges, requests } = await proveBatch(FILES)
  assert.deepEqual(
    { code, failed, results, charges, requests },
    { code: 0, failed: [], results: FILES, charges: FILES, requests: FILES },
  )
})
