import type { AccountId } from '@mediamill/contract/domain/ids'
import { EXAMPLE_NEW_TEMPLATE } from '@mediamill/contract/objects/template'
import { createKey } from '@mediamill/server/accounts/create-key'
import type { Receiver } from '../receiver.ts'
import { startReceiver } from '../receiver.ts'
import type { Service } from '../service.ts'
import { startService } from '../service.ts'

/** A service that looks used: it has requests of each kind and outcome, customers, keys, and deliveries. */
export type LivedIn = AsyncDisposable & {
  service: Service
  receiver: Receiver
  accountId: AccountId
  /** Request ids. `made` processed an image, `failed` failed at its second operation, and `read` read metadata. */
  requests: { made: number; failed: number; read: number }
}

export async function startLivedIn(): Promise<LivedIn> {
  const receiver = await startReceiver()
  const service = await startService({ allowed: [receiver.host] })
  const { account, sql, url } = service
  const sample = (name: string) => `${url}/docs/samples/${name}`
  await sql`update accounts set webhook_url = ${receiver.url('/hooks')} where id = ${account.id}`
  await createKey(sql, account.id, { mode: 'test', name: 'staging' })

  const resize = { type: 'resize', width: 640, height: 640 }
  const made = await service.finish('/v1/images/process', {
    source: sample('photo.jpg'),
    operations: [resize, { type: 'filter', name: 'valencia' }],
    output: { format: 'webp' },
    customer: 'bakery-7',
    metadata: { order: '1977' },
  })
  const failed = await service.finish('/v1/images/process', {
    source: sample('photo.jpg'),
    operations: [resize, { type: 'crop', x: 9000, y: 9000, width: 10, height: 10 }],
    customer: 'florist-2',
  })
  // Poll this request with the live key, because a test key allows only ten calls per minute.
  const { body: read } = await service.call('POST', '/v1/images/read', {
    key: account.testKey,
    body: { source: sample('photo.jpg') },
  })
  await service.settled(read.id)
  await service.finish('/v1/images/process', { source: sample('report.pdf'), operations: [resize] })
  await service.finish('/v1/documents/snapshot', { source: sample('report.pdf'), page: 1, customer: 'bakery-7' })
  await service.finish('/v1/videos/screenshot', { source: sample('clip.mp4'), seconds: 1 })
  await service.call('POST', '/v1/templates', { body: EXAMPLE_NEW_TEMPLATE })
  await receiver.arrived(6)
  return {
    service,
    receiver,
    accountId: account.id,
    requests: { made: made.id, failed: failed.id, read: read.id },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}
