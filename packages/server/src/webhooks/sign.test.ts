import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signatureHeaders } from './sign.ts'

test('signing a webhook throws an error without a secret, because an empty signature would look valid', () => {
  const sign = (secrets: string[]) => signatureHeaders('evt_1', Buffer.from('{}'), secrets, new Date(1_000))
  assert.throws(() => sign([]), /no webhook secret/)
  const headers = sign(['whsec_YQ==', 'whsec_Yg=='])
  assert.match(headers['Service-Signature'] ?? '', /^t=1,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  assert.match(headers['webhook-signature'] ?? '', /^v1,\S{44} v1,\S{44}$/)
})
