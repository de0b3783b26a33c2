import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { openDiskStore } from '../../src/store/disk.ts'
import { deriveLinkKeys, filePath } from '../../src/store/link.ts'

const http = await sharedService({ workers: false })

const headerOf = async (url: string, name: string) => {
  const response = await fetch(url, { redirect: 'manual' })
  await response.body?.cancel()
  return response.headers.get(name)
}

async function storedFile(dataDir: string): Promise<string> {
  const file = { key: `${'0'.repeat(40)}.png`, name: '1.png', sha256: 'a'.repeat(64) }
  const store = await openDiskStore(join(dataDir, 'results'))
  await store.write(file.key, Readable.from([Buffer.from('image')]))
  return filePath(deriveLinkKeys([SECRET_KEY]), file, new Date(Date.now() + 600_000))
}

test('responses have HSTS only if BASE_URL is https', async () => {
  await using https = await startService({ workers: false, settings: { BASE_URL: 'https://media.example' } })
  for (const path of ['/livez', '/v1/account', '/docs', '/console/', '/nothing']) {
    assert.equal(await headerOf(https.url + path, 'strict-transport-security'), 'max-age=31536000', path)
    assert.equal(await headerOf(http.url + path, 'strict-transport-security'), null, path)
  }
  const file = await storedFile(https.dataDir)
  const { status, headers } = await fetch(https.url + file)
  assert.deepEqual([status, headers.get('strict-transport-security')], [200, 'max-age=31536000'], 'a result')
})

test('other sites can embed the file of a signed link, but not pages of the console', async () => {
  const path = await storedFile(http.dataDir)
  assert.equal(await headerOf(http.url + path, 'cross-origin-resource-policy'), 'cross-origin')
  for (const own of ['/console/', '/console/api/session', '/console/assets/x.js']) {
    assert.equal(await headerOf(http.url + own, 'cross-origin-resource-policy'), 'same-origin', own)
  }
})
