import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@mediamill/lab/support/process'
import { sharedService } from '@mediamill/lab/support/service'

const logged: { level: number; msg: string }[] = []
const service = await sharedService({
  workers: false,
  settings: { LOG_LEVEL: 'debug' },
  logTo: { write: (line) => void logged.push(JSON.parse(line) as { level: number; msg: string }) },
})

test('an agent that disconnects before the response begins causes no error line', { timeout: 60_000 }, async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${service.account.liveKey}`,
    'Accept: application/json, text/event-stream',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const isPremature = () => logged.some(({ msg }) => msg === 'call failed')
  await until(async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    await delay(1)
    socket.destroy()
    return isPremature()
  })
  assert.deepEqual(
    logged.filter(({ level }) => level >= 50),
    [],
  )
})
