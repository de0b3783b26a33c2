import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { watchOutages } from './outage.ts'

function watched(signal: AbortSignal) {
  const lines: { level: number; msg: string; duration_ms?: number; err?: { message: string } }[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const service = { isUp: false, probes: 0, lines }
  const probed = Promise.withResolvers<void>()
  const outages = watchOutages({
    name: 'database',
    async probe() {
      service.probes += 1
      if (service.probes === 3) probed.resolve()
      if (!service.isUp) throw new Error('still unavailable')
    },
    log,
    signal,
    intervalMs: 1,
  })
  return { ...service, service, outages, probed: probed.promise }
}

const ended = async (outages: { isOngoing: boolean }) => {
  while (outages.isOngoing) await new Promise((resolve) => setImmediate(resolve))
}

test('an outage logs one line at its start, with the error, and one line at its end, with its duration', async () => {
  const { service, outages, probed, lines } = watched(new AbortController().signal)
  for (let call = 0; call < 50; call += 1) outages.start(new Error(`failure ${call}`))
  assert.equal(outages.isOngoing, true)
  await probed
  service.isUp = true
  await ended(outages)
  outages.start(new Error('a second outage'))
  await ended(outages)
  assert.deepEqual(
    lines.map(({ level, msg, err }) => [level, msg, err?.message]),
    [
      [50, 'database unavailable', 'failure 0'],
      [30, 'database available again', undefined],
      [50, 'database unavailable', 'a second outage'],
      [30, 'database available again', undefined],
    ],
  )
  assert.ok(Number.isInteger(lines[1]?.duration_ms))
})

test('a stopping process logs no new outage, and stops probing during a current outage', async () => {
  const stopping = new AbortController()
  const { service, outages, probed, lines } = watched(stopping.signal)
  outages.start(new Error('first'))
  await probed
  stopping.abort()
  const { probes } = service
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.ok(service.probes <= probes + 1)
  const other = watched(stopping.signal)
  other.outages.start(new Error('too late'))
  assert.deepEqual([lines.length, other.lines.length, other.outages.isOngoing], [1, 0, false])
})
