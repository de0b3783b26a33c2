import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, eventOf, makeDue, story } from '@mediamill/lab/support/deliveries'
import { quarters } from '@mediamill/lab/support/images'
import { run, until } from '@mediamill/lab/support/process'
import { sharedReceiver, startReceiver } from '@mediamill/lab/support/receiver'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { Webhook } from 'standardwebhooks'

const sources = await sharedSourceServer({ '/photo.png': await quarters(40, 30) })
const receiver = await sharedReceiver(204)
const service = await sharedService({ allowed: [sources.host, receiver.host] })
const quiet = await sharedService({ allowed: [sources.host, receiver.host], workers: false })

const settingsOf = ({ databaseUrl, dataDir }: typeof service) => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY,
  DATA_DIR: dataDir,
  ALLOWED_PRIVATE_HOSTS: [sources.host, receiver.host].join(','),
})

async function administer(args: string[], of = service) {
  const command = run([...args, '--json'], settingsOf(of))
  assert.equal(await command.ended, 0, command.err())
  return JSON.parse(command.out())
}

async function rejected(args: string[], code: number, words: RegExp) {
  const command = run(args, settingsOf(quiet))
  assert.equal(await command.ended, code, command.err())
  assert.match(command.err(), words)
}

test('if a worker is killed during a webhook attempt, the next attempt has the same id and bytes', async () => {
  receiver.respond(() => undefined)
  const body = { source: sources.url('/photo.png'), webhook_url: receiver.url('/hanging') }
  const accepted = await quiet.call('POST', '/v1/images/read', { body })
  const posts = () => receiver.received.filter(({ path }) => path === '/hanging')
  await using first = await startRole('worker', settingsOf(quiet))
  await until(() => posts().length === 1)
  await first.kill()
  const id = await eventOf(quiet.sql, accepted.body.id)
  const { event, attempts } = await story(quiet.sql, id)
  assert.deepEqual([event.status, attempts.length], ['pending', 0])
  receiver.respond(204)
  await makeDue(quiet.sql, id)
  await using second = await startRole('worker', settingsOf(quiet))
  assert.equal((await ended(quiet.sql, id)).attempts.length, 1)
  const [one, two] = posts()
  assert.ok(one !== undefined && two !== undefined && posts().length === 2)
  assert.ok(one.raw.equals(two.raw))
  const { headers } = two
  assert.deepEqual(
    [one.headers['webhook-id'], headers['webhook-id'], headers['service-delivery-attempt']],
    [id, id, '1'],
  )
  assert.equal(await second.stop(), 0)
})

test('an abandoned event is listed and shown with its attempts, and is resent with the same id and bytes [webhooks.deliveries.4, operator.commands.10]', async () => {
  const account = String(service.account.id)
  await service.finish('/v1/images/read', { source: sources.url('/photo.png') })
  receiver.respond((_received, response) => response.writeHead(500).end('out \u001b[31mof order'))
  const body = { source: sources.url('/photo.png'), webhook_url: receiver.url('/broken') }
  const request = await service.finish('/v1/images/read', body)
  const id = await eventOf(service.sql, request.id)
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await until(async () => (await story(service.sql, id)).attempts.length === attempt)
    await makeDue(service.sql, id)
  }
  const listed = await administer(['events', 'list', account, '--undelivered'])
  assert.deepEqual(
    listed.events.map((event: { id: string; status: string; attempts: number; url: string }) => ({ ...event })),
    [
      {
        id,
        type: 'request.succeeded',
        account: service.account.id,
        request: request.id,
        status: 'undelivered',
        url: receiver.url('/broken'),
        attempts: 4,
        next_attempt_at: null,
        created_at: request.completed_at,
      },
    ],
  )
  const all = await administer(['events', 'list', account])
  assert.deepEqual([all.events[0].id, all.events.length > 1], [id, true])
  assert.equal((await administer(['events', 'list', account, '--limit', '1'])).events.length, 1)
  const shown = await administer(['events', 'show', id])
  assert.deepEqual(
    shown.deliveries.map(({ attempt, status, answer: response, reason, url }: Json) => [
      attempt,
      status,
      response,
      reason,
      url,
    ]),
    [1, 2, 3, 4].map((attempt) => [attempt, 500, 'out \u001b[31mof order', null, receiver.url('/broken')]),
  )
  assert.deepEqual(shown.body.data, request)
  const text = run(['events', 'show', id], settingsOf(service))
  assert.equal(await text.ended, 0)
  assert.match(text.out(), /status 500[\s\S]*of order[\s\S]*"type":"request.succeeded"/)
  assert.ok(!text.out().includes('\u001b'), 'an answer must not steer the terminal')

  receiver.respond(204)
  assert.equal((await administer(['events', 'resend', id])).status, 'pending')
  const { event, attempts } = await ended(service.sql, id)
  assert.deepEqual([event.status, attempts.map(({ number }) => number)], ['delivered', [1, 2, 3, 4, 1]])
  const posts = receiver.received.filter(({ headers }) => headers['webhook-id'] === id)
  assert.equal(posts.length, 5)
  assert.ok(posts.every(({ raw }) => raw.equals(posts[0]?.raw ?? Buffer.alloc(0))))
  assert.deepEqual((await administer(['events', 'list', account, '--undelivered'])).events, [])
})

test('a command that cannot resend an event exits with 1 and prints the fix, and wrong usage exits with 2 [operator.commands.1]', async () => {
  const request = await quiet.call('POST', '/v1/images/read', { body: { source: sources.url('/photo.png') } })
  await quiet.call('POST', `/v1/requests/${request.body.id}/abort`)
  const nowhere = await eventOf(quiet.sql, request.body.id)
  const account = quiet.account.id
  await rejected(['events', 'resend', nowhere], 1, new RegExp(`account set-webhook ${account} URL`))
  await administer(['account', 'set-webhook', String(account), receiver.url('/late')], quiet)
  assert.equal((await administer(['events', 'resend', nowhere], quiet)).url, receiver.url('/late'))
  await rejected(['events', 'resend', nowhere], 1, /is being delivered: 0 of 4 attempts/)
  await rejected(['events', 'resend', 'evt_none'], 1, /There is no event evt_none/)
  await rejected(['events', 'show', 'evt_none'], 1, /There is no event evt_none/)
  await rejected(['events', 'list', '999999'], 1, /There is no account 999999/)
  await rejected(['events', 'list'], 2, /missing required argument/)
  await rejected(['secret', 'show', '999999'], 1, /There is no account 999999/)
  await rejected(['secret', 'roll', 'x'], 2, /whole number/)
  await rejected(['listen'], 2, /--forward-to/)
  await rejected(['listen', '--forward-to', 'localhost:3000'], 2, /must be an http or https URL/)
  for (const args of [['events', 'resend'], ['events', 'list'], ['events', 'show'], ['secret', 'roll'], ['listen']]) {
    const help = run([...args, '--help'])
    assert.equal(await help.ended, 0)
    assert.match(help.out(), /Example:\n {2}mediamill /)
  }
})

test('the secret roll command prints both secrets while both are valid, and only the new secret with --at-once [operator.commands.10, webhooks.signature.4]', async () => {
  const account = String(quiet.account.id)
  const before = await administer(['secret', 'show', account], quiet)
  assert.deepEqual([before.webhook_secret, before.secrets.length], [quiet.account.webhookSecret, 1])
  const rolled = await administer(['secret', 'roll', account], quiet)
  assert.match(rolled.webhook_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(
    rolled.secrets.map(({ secret }: Json) => secret),
    [rolled.webhook_secret, before.webhook_secret],
  )
  const [fresh, old] = rolled.secrets
  assert.equal(fresh.expires_at, null)
  assert.equal(Date.parse(old.expires_at) - Date.parse(fresh.created_at), 24 * 3_600_000)
  const leaked = await administer(['secret', 'roll', account, '--at-once'], quiet)
  assert.deepEqual(
    (await administer(['secret', 'show', account], quiet)).secrets.map(({ secret }: Json) => secret),
    [leaked.webhook_secret],
  )
})

test('the listen command posts new signed events to a local URL, prints a line for each event, and changes no data', async () => {
  await using local = await startReceiver((received, response) =>
    response.writeHead(received.path === '/hook' ? 202 : 404).end(),
  )
  const before = await quiet.call('POST', '/v1/images/read', { body: { source: sources.url('/photo.png') } })
  await quiet.call('POST', `/v1/requests/${before.body.id}/abort`)
  await using listening = listen([
    'listen',
    '--forward-to',
    `http://localhost:${new URL(local.url()).port}/hook`,
    '--json',
  ])
  const started = await listening.line(0)
  assert.equal(started.account, quiet.account.id)
  const after = await quiet.call('POST', '/v1/images/read', { body: { source: sources.url('/photo.png') } })
  const aborted = await quiet.call('POST', `/v1/requests/${after.body.id}/abort`)
  const [one] = await local.arrived(1)
  assert.ok(one)
  const event = new Webhook(started.webhook_secret).verify(one.raw.toString(), one.headers as Record<string, string>)
  assert.deepEqual((event as Json).data, aborted.body)
  const line = await listening.line(1)
  assert.deepEqual(
    [line.id, line.type, line.request, line.status],
    [one.headers['webhook-id'], 'request.aborted', after.body.id, 202],
  )
  const { event: row, attempts } = await story(quiet.sql, line.id)
  assert.deepEqual([row.attempts, row.body, attempts.length], [0, null, 0])
  listening.command.child.kill('SIGINT')
  assert.equal(await listening.command.ended, 0)
  assert.equal(local.received.length, 1)
})

test('the listen command shows accepted events in green and rejected events in red', async () => {
  const responses = [204, 500]
  await using local = await startReceiver((_received, response) => response.writeHead(responses.shift() ?? 404).end())
  const { out, child, ended } = run(['listen', '--forward-to', local.url('/hook')], {
    ...settingsOf(quiet),
    FORCE_COLOR: '1',
  })
  try {
    await until(() => out().includes('Ctrl-C') || child.exitCode !== null)
    for (const shown of ['\u001b[32m204 in', '\u001b[31m500 in']) {
      const { body } = await quiet.call('POST', '/v1/images/read', { body: { source: sources.url('/photo.png') } })
      await quiet.call('POST', `/v1/requests/${body.id}/abort`)
      await until(() => out().includes(' in ') && out().trimEnd().split('\n').at(-1)?.includes(shown) === true)
    }
  } finally {
    child.kill('SIGKILL')
    await ended
  }
})

function listen(args: string[]) {
  const command = run(args, settingsOf(quiet))
  return {
    command,
    async line(index: number): Promise<Json> {
      const lines = () => command.out().split('\n').slice(0, -1)
      await until(() => lines().length > index || command.child.exitCode !== null)
      return JSON.parse(lines()[index] ?? assert.fail(command.err()))
    },
    async [Symbol.asyncDispose]() {
      command.child.kill('SIGKILL')
      await command.ended
    },
  }
}
