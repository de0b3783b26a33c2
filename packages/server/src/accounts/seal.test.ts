import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seal, tryUnseal, unseal } from './seal.ts'

const OLD = 'the key that was in force until yesterday'
const NEW = 'the key that has been in force since today'

test('a secret is decrypted with the SECRET_KEY that encrypted it, even if SECRET_KEY lists a newer key first [webhooks.signature.5]', () => {
  const { value: sealed } = seal(OLD, 'account 1', 'whsec_abc')
  assert.equal(unseal(OLD, 'account 1', sealed), 'whsec_abc')
  assert.equal(unseal(`${NEW},${OLD}`, 'account 1', sealed), 'whsec_abc')
  assert.equal(unseal(`${NEW}, ${OLD}`, 'account 1', seal(`${NEW},${OLD}`, 'account 1', 'x').value), 'x')
  assert.equal(unseal(NEW, 'account 1', seal(`${NEW},${OLD}`, 'account 1', 'x').value), 'x', 'the first key seals')
})

test('an encrypted secret cannot be decrypted with another key, for another account, or after one changed byte', () => {
  const { value: sealed } = seal(OLD, 'account 1', 'whsec_abc')
  assert.throws(() => unseal(NEW, 'account 1', sealed))
  assert.throws(() => unseal(OLD, 'account 2', sealed))
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.throws(() => unseal(OLD, 'account 1', changed), `byte ${index}`)
  }
})

test('encrypting the same secret twice gives different results without the plain text', () => {
  const { value: sealed } = seal(OLD, 'account 1', 'whsec_abc')
  assert.notDeepEqual(sealed, seal(OLD, 'account 1', 'whsec_abc').value)
  assert.equal(sealed.includes('whsec'), false)
})

test('an encrypted secret identifies the SECRET_KEY that encrypted it', () => {
  const { value: sealed } = seal(OLD, 'account 1', 'whsec_abc')
  assert.equal(tryUnseal(`${NEW},${OLD}`, 'account 1', sealed, 'webhook secrets')?.position, 1)
  assert.equal(tryUnseal(`${OLD},${NEW}`, 'account 1', sealed, 'webhook secrets')?.position, 0)
  assert.equal(tryUnseal(NEW, 'account 1', sealed, 'webhook secrets')?.position, undefined)
  assert.equal(tryUnseal(OLD, 'account 1', sealed, 'destinations')?.position, undefined, 'each use has its own key')
})
