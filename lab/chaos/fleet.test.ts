import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFleet } from './fleet.ts'

test('the chaos test counts a fleet as ready once a ready process has replaced each process that ended early', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-fleet-'))
  const main = join(folder, 'main.mjs')
  await writeFile(
    main,
    `import { existsSync, writeFileSync } from 'node:fs'
     const seen = ${JSON.stringify(join(folder, 'seen'))}
     if (!existsSync(seen)) {
       writeFileSync(seen, '')
       process.exit(3)
     }
     process.on('SIGTERM', () => process.exit(0))
     process.send({ type: 'ready' })
     setInterval(() => undefined, 1000)`,
  )
  {
    await using fleet = await startFleet({ apis: 1, workers: 0, settings: {}, logs: join(folder, 'logs'), main })
    await fleet.ready()
    assert.ok(fleet.isReady('api', 0))
    assert.deepEqual(
      fleet.unasked.map((text) => text.replace(/ after .*/, '')),
      ['api 0 ended with 3'],
    )
    assert.deepEqual(await fleet.stop(), [0])
  }
  await rm(folder, { recursive: true })
})
