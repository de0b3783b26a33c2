import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Gauge, Registry } from 'prom-client'
import { serveMetrics } from './metrics.ts'

test('200 scrapes at once share a few computations, and each response is newer than its call [operator.health.2]', async () => {
  let computed = 0
  const registry = new Registry()
  new Gauge({
    name: 'computed',
    help: 'How often the text was computed.',
    registers: [registry],
    collect() {
      computed += 1
      this.set(computed)
    },
  })
  await using app = Fastify()
  serveMetrics(app, registry)
  const scrape = async () => {
    const before = computed
    const { body } = await app.inject('/metrics')
    assert.ok(Number(/^computed (\d+)$/m.exec(body)?.[1]) > before, body)
  }
  await Promise.all(Array.from({ length: 200 }, scrape))
  assert.ok(computed >= 2 && computed <= 20, String(computed))
})
