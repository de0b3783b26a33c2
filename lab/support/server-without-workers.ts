import type { Sql } from '@mediamill/server/db/connection/connect'
import type { ApiContext } from '@mediamill/server/http/api-context'
import { buildServer } from '@mediamill/server/http/server'
import { createEventWatch, createRequestWatch, createStreamWatch } from '@mediamill/server/requests/watch'
import { deriveLinkKeys } from '@mediamill/server/store/link'
import type { Store } from '@mediamill/server/store/store'
import { StampWatch } from '@mediamill/server/uploads/stamps/stamp-watch'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { SECRET_KEY } from './request-rows.ts'

/** Opens an API server without workers. The server has no port: call its `inject`. */
export function openTestServer(sql: Sql, store: Store, differing: Partial<ApiContext> = {}): FastifyInstance {
  const there = () => Promise.resolve(true)
  const api: ApiContext = {
    sql,
    store,
    links: { keys: deriveLinkKeys([SECRET_KEY]), baseUrl: 'http://127.0.0.1' },
    checks: { database: there, store: there, disk: there },
    metrics: new Registry(),
    isSample: () => false,
    checkUrl: async () => ({ ok: true }),
    sealDestinations: () => ({ value: Buffer.alloc(0), sealedBy: '' }),
    wakeDeliveries: () => undefined,
    durable: async () => undefined,
    watch: createRequestWatch(sql),
    streamWatch: createStreamWatch(sql),
    eventWatch: createEventWatch(sql),
    stamps: new StampWatch(sql, sql),
    ...differing,
  }
  return buildServer(api, pino({ level: 'silent' }))
}
