import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import * as sdk from '@mediamill/sdk/src/index'
import * as webhooks from '@mediamill/sdk/src/webhooks'
import { runSuite } from '../../../sdk/test/suite.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const service = await sharedService()
const folder = await sharedFolder('mediamill-client-')

test('the test suite of the client passes on Node.js against a real service', async () => {
  const photo = await readFile(sampleFile('photo.jpg'), 'base64')
  const settings = { baseUrl: service.url, apiKey: service.account.liveKey, photo, folder }
  const verdicts = await runSuite({ sdk, webhooks, settings })
  assert.deepEqual(
    verdicts.filter(({ error }) => error !== undefined),
    [],
  )
  assert.ok(verdicts.length >= 11)
})
