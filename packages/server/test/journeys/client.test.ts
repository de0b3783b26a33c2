import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startService } from '@mediamill/lab/support/service'
import * as sdk from '@mediamill/sdk/src/index'
import * as webhooks from '@mediamill/sdk/src/webhooks'
import { runSuite } from '../../../sdk/test/suite.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const service = await startService()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-client-'))
after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('the client suite passes on Node.js against a real service', async () => {
  const photo = await readFile(sampleFile('photo.jpg'), 'base64')
  const settings = { baseUrl: service.url, apiKey: service.account.liveKey, photo, folder }
  const verdicts = await runSuite({ sdk, webhooks, settings })
  assert.deepEqual(
    verdicts.filter(({ error }) => error !== undefined),
    [],
  )
  assert.ok(verdicts.length >= 11)
})
