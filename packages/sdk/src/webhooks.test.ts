import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@mediamill/lab/support/random'
import { signatureHeaders } from '@mediamill/server/webhooks/sign'
import { generateTestHeaders, SignatureError, unwrap } from './webhooks.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const NOW = 1_795_276_800
const BODY =
  '{"id":"evt_1","object":"event","type":"request.succeeded","created":1795276800,"data":{"id":17,"title":"ü"}}'
const signed = (secrets: string[] = [SECRET]) =>
  signatureHeaders('evt_1', Buffer.from(BODY), secrets, new Date(NOW * 1000))
const at = { now: NOW }

test('unwrap() accepts a webhook as text or bytes, with any type of headers, signed with any one of several secrets [webhooks.signature.1, webhooks.signature.4]', async () => {
  const headers = signed()
  for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY).buffer]) {
    for (const given of [headers, new Headers(headers), lowerCase(headers)]) {
      const event = await unwrap(body, given, SECRET, at)
      assert.equal(event.id, 'evt_1')
    }
  }
  const old = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  for (const secret of [SECRET, old, [old, SECRET]]) await unwrap(BODY, signed([SECRET, old]), secret, at)
  await assert.rejects(unwrap(BODY, headers, old, at), SignatureError)
})

test('unwrap() accepts a webhook with only one signature scheme, and verifies every scheme that is present [webhooks.headers.1]', async () => {
  const { 'Service-Signature': service = '', ...standard } = signed()
  await unwrap(BODY, { 'Service-Signature': service }, SECRET, at)
  await unwrap(BODY, standard, SECRET, at)
  await assert.rejects(unwrap(BODY, { ...standard, 'service-signature': `t=${NOW},v1=00` }, SECRET, at), SignatureError)
  await assert.rejects(unwrap(BODY, { 'service-signature': service, ...standard, 'webhook-id': 'evt_2' }, SECRET, at))
  await assert.rejects(unwrap(BODY, {}, SECRET, at), /no signature/)
})

test('the Service-Signature header is signed with the whole secret, and the Standard Webhooks header with the decoded base64 after whsec_ [webhooks.signature.1, webhooks.signature.2]', async () => {
  const made = await generateTestHeaders({ body: BODY, secret: SECRET, id: 'evt_1', time: NOW })
  const ours = lowerCase(signed())
  for (const name of Object.keys(ours)) assert.equal(made[name], ours[name], name)
  await assert.rejects(generateTestHeaders({ body: BODY, secret: 'whsec_???' }), /base64/)
})

test('unwrap() rejects a timestamp more than 5 minutes before or after the current time [webhooks.signature.1]', async () => {
  for (const off of [-300, 300]) await unwrap(BODY, signed(), SECRET, { now: NOW + off })
  for (const off of [-301, 301])
    await assert.rejects(unwrap(BODY, signed(), SECRET, { now: NOW + off }), /outside the tolerance of 300 seconds/)
})

test('the errors of unwrap() for a parsed body and for a missing secret explain the fix', async () => {
  await assert.rejects(unwrap(JSON.parse(BODY), signed(), SECRET, at), /must be the raw text or bytes/)
  for (const secret of ['', [], undefined])
    await assert.rejects(unwrap(BODY, signed(), secret as string, at), /No webhook secret was passed/)
  await assert.rejects(unwrap(BODY, signed(), ['', undefined as never], at), /No webhook secret was passed/)
})

test('unwrap() ignores an undefined entry in a list of secrets', async () => {
  for (const unset of ['', undefined as never]) {
    for (const secrets of [
      [SECRET, unset],
      [unset, SECRET],
    ])
      await unwrap(BODY, signed(), secrets, at)
  }
})

test('unwrap() rejects each of 10,000 webhooks with one changed bit in signature, time, id, or body [webhooks.signature.1]', async () => {
  const random = createRandom(18)
  const fields: Record<string, string> = { ...lowerCase(signed()), body: BODY }
  const names = Object.keys(fields)
  for (let run = 0; run < 10_000; run++) {
    const name = names[random.below(names.length)] ?? ''
    const bytes = Buffer.from(fields[name] ?? '')
    const index = random.below(bytes.length)
    bytes[index] = (bytes[index] ?? 0) ^ (1 << random.integer(0, 7))
    // Every receiver reads headers as Latin-1.
    const { body: _, ...headers } = { ...fields, [name]: bytes.toString('latin1') }
    const body = name === 'body' ? bytes : BODY
    await assert.rejects(unwrap(body, headers, SECRET, at), SignatureError, `${name} ${bytes.toString('latin1')}`)
  }
})

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
