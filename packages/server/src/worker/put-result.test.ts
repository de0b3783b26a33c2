import assert from 'node:assert/strict'
import { symlink, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import { pino } from 'pino'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import type { DestinationAttempt, PutResultOptions } from './put-result.ts'
import { putResult } from './put-result.ts'

const folder = await sharedFolder('mediamill-put-')
const path = join(folder, 'result.png')
await writeFile(path, 'the result')

type RespondTo = (call: IncomingMessage, response: ServerResponse) => void

async function receiver(...responses: RespondTo[]) {
  const bodies: string[] = []
  let tries = 0
  const server = await startSourceServer({
    '/put?sig=secret': (call, response) => {
      let body = ''
      call.on('data', (chunk: Buffer) => (body += String(chunk)))
      call.on('end', () => {
        bodies.push(body)
        responses[tries++]?.(call, response)
      })
    },
  })
  const counted: DestinationAttempt[] = []
  const lines: string[] = []
  const options: PutResultOptions = {
    network: { allowedHosts: parseAllowedHosts(server.host) },
    signal: new AbortController().signal,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    deadlineMs: 60_000,
    counted: (outcome) => counted.push(outcome),
    gapsMs: [0, 0, 0],
  }
  return { server, bodies, counted, lines, options, destination: { url: server.url('/put?sig=secret'), headers: {} } }
}

const say =
  (status: number, headers = {}): RespondTo =>
  (_call, response) =>
    void response.writeHead(status, headers).end('a secret of the bucket')
const hangUp: RespondTo = (call) => void call.socket.destroy()

test('after each failed attempt, the whole result is sent to its destination again, up to four attempts [destinations.attempts.2, destinations.files.1]', async () => {
  const { server, bodies, counted, options, destination } = await receiver(say(500), hangUp, say(403), say(200))
  await using _ = server
  await putResult(destination, path, options)
  assert.deepEqual(
    bodies,
    Array.from({ length: 4 }, () => 'the result'),
  )
  assert.deepEqual(counted, ['rejected', 'no_response', 'rejected', 'stored'])
})

test("after the fourth attempt, the request fails with the destination's status, and the error never contains its URL [destinations.attempts.2, destinations.secrets.1]", async () => {
  for (const [response, reason] of [
    [say(403), 'its server returned status 403'],
    [say(302, { location: 'http://10.0.0.1/' }), 'its server returned status 302'],
    [hangUp, 'its server closed the connection without a response'],
  ] as const) {
    const { server, bodies, lines, options, destination } = await receiver(
      response,
      response,
      response,
      response,
      say(200),
    )
    await using _ = server
    const failure = await putResult(destination, path, options).catch((error: unknown) => error)
    assert.ok(failure instanceof RequestFailure)
    assert.deepEqual(
      [failure.code, failure.message],
      ['processing_failed', `The destination did not accept the file: ${reason}.`],
    )
    assert.equal(bodies.length, 4)
    assert.equal(lines.length, 4)
    assert.doesNotMatch(lines.join(''), /secret|put\?|127\.0\.0\.1.*sig/)
  }
})

test('an abort ends the pause between two upload attempts to a destination [requests.abort.2]', async () => {
  const stop = new AbortController()
  const { server, counted, options, destination } = await receiver(say(500))
  await using _ = server
  const stopping = {
    ...options,
    gapsMs: [600_000],
    signal: stop.signal,
    counted: () => stop.abort(new Error('aborted')),
  }
  await assert.rejects(putResult(destination, path, stopping), /aborted/)
  assert.equal(counted.length, 0)
})

test('a symbolic link in place of the result file is not sent to a destination', async () => {
  const { server, options, destination } = await receiver(say(200))
  await using _ = server
  await symlink('/etc/hostname', join(folder, 'link.png'))
  await assert.rejects(putResult(destination, join(folder, 'link.png'), options), /ELOOP/)
  assert.deepEqual(server.calls, [])
})
