import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { openTestServer } from '@mediamill/lab/support/server-without-workers'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openDiskStore } from '../../store/disk.ts'
import { StampWatch } from '../../uploads/stamps/stamp-watch.ts'

const { sql } = await sharedDatabase()
const store = await openDiskStore(await sharedFolder('mediamill-stamps-'))

test('if no worker draws a text watermark within 55 s, the call returns 500, and the client can repeat it [stamps.create.2]', async () => {
  const waits: number[] = []
  class NoWorker extends StampWatch {
    override order({ waitMs }: Parameters<StampWatch['order']>[0]): Promise<string> {
      waits.push(waitMs)
      return Promise.resolve('an id')
    }

    override end(): Promise<undefined> {
      return Promise.resolve(undefined)
    }
  }
  const server = openTestServer(sql, store, { stamps: new NoWorker(sql, sql) })
  const { liveKey } = await openAccount(sql)
  const { statusCode, body } = await server.inject({
    method: 'POST',
    url: '/v1/stamps',
    headers: { authorization: `Bearer ${liveKey}` },
    payload: { type: 'text', text: 'Draft' },
  })
  await server.close()
  const { error } = JSON.parse(body) as { error: { code: string; message: string } }
  assert.deepEqual([statusCode, error.code, waits], [500, 'server_error', [55_000]])
  assert.match(error.message, /again/)
})
