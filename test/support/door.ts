import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Sql } from '../../src/db/connection/connect.ts'
import type { Door } from '../../src/http/door.ts'
import { buildServer } from '../../src/http/server.ts'
import { EventWatch } from '../../src/requests/events/event-watch.ts'
import { StampWatch } from '../../src/requests/uploads/stamps/stamp-watch.ts'
import { RequestWatch } from '../../src/requests/watch.ts'
import { deriveLinkKeys } from '../../src/store/link.ts'
import type { Store } from '../../src/store/store.ts'
import { SECRET_KEY } from './line.ts'

/** The HTTP interface over a database and a store, without workers; it listens nowhere, and is called by `inject`. */
export function serverOver(sql: Sql, store: Store, differing: Partial<Door> = {}): FastifyInstance {
  const there = () => Promise.resolve(true)
  const door: Door = {
    sql,
    store,
    links: { keys: deriveLinkKeys([SECRET_KEY]), baseUrl: 'http://127.0.0.1' },
    checks: { database: there, store: there, disk: there },
    metrics: new Registry(),
    isSample: () => false,
    checkUrl: async () => ({ ok: true }),
    sealDestination: () => Buffer.alloc(0),
    workers: { wake: () => undefined, take: () => [] },
    wakeDeliveries: () => undefined,
    durable: async () => undefined,
    watch: new RequestWatch(sql),
    eventWatch: new EventWatch(sql),
    stamps: new StampWatch(sql, store, sql),
    ...differing,
  }
  return buildServer(door, pino({ level: 'silent' }))
}
