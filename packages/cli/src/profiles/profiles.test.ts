import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { readProfiles } from './profiles.ts'

const folder = await sharedFolder('mediamill-profiles-')
process.env['XDG_CONFIG_HOME'] = folder
await mkdir(join(folder, 'mediamill'))

async function readBack(content: unknown) {
  await writeFile(join(folder, 'mediamill/config.json'), JSON.stringify(content), { mode: 0o600 })
  return await readProfiles()
}

test('the command line rejects a profiles file without profiles, or with a profile that lacks its URL or its key', async () => {
  const profile = { url: 'https://media.example.com', api_key: 'svc_live_key' }
  assert.deepEqual(await readBack({ profiles: { default: profile } }), { default: profile })
  const invalid = [null, {}, { profiles: null }, { profiles: 7 }]
  const profiles = [null, 7, {}, { url: profile.url }, { api_key: profile.api_key }, { ...profile, url: 7 }]
  for (const content of [...invalid, ...profiles.map((one) => ({ profiles: { default: profile, other: one } }))]) {
    await assert.rejects(
      readBack(content),
      { name: 'OperatorError', message: /config\.json is not a valid profiles file: fix it, or delete it/ },
      JSON.stringify(content),
    )
  }
})
