import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmailAddress } from './email-address.ts'

const keyOf = (text: string) => readEmailAddress(text)?.key

test('two email addresses are equal if they differ only in ASCII case or in the notation of the domain (Unicode or punycode)', () => {
  for (const text of ['Ada@Example.com', 'ADA@EXAMPLE.COM', 'ada@example.com.', 'ada@ｅxample.com'])
    assert.equal(keyOf(text), 'ada@example.com', text)
  assert.equal(keyOf('ada@BÜCHER.example'), 'ada@xn--bcher-kva.example')
  assert.equal(readEmailAddress('Ada@BÜCHER.example')?.deliverTo, 'Ada@xn--bcher-kva.example')
})

test('look-alike email addresses differ: gmaİl.com is not gmail.com, and letters outside ASCII keep their case', () => {
  assert.equal(keyOf('victim@gmail.com'), 'victim@gmail.com')
  for (const text of [
    'victim@gmaİl.com',
    'victim@gmaıl.com',
    'vıctim@gmail.com',
    'vİctim@gmail.com',
    'ｖictim@gmail.com',
  ])
    assert.notEqual(keyOf(text), 'victim@gmail.com', text)
  assert.notEqual(keyOf('Kelvin@example.com'), keyOf('\u212aelvin@example.com'))
  assert.notEqual(keyOf('É@example.com'), keyOf('é@example.com'))
})

test('ada+mill@example.com and ada@example.com are different addresses of the same mailbox', () => {
  const tagged = readEmailAddress('Ada+Mill@example.com')
  assert.deepEqual([tagged?.key, tagged?.mailbox], ['ada+mill@example.com', 'ada@example.com'])
  assert.equal(readEmailAddress('+only@example.com')?.mailbox, '+only@example.com')
})

test('Gmail addresses that differ only in dots, tags, or the domain (gmail.com or googlemail.com) belong to one mailbox', () => {
  for (const text of ['janedoe@gmail.com', 'Jane.Doe+x@gmail.com', 'j.a.n.e.doe@googlemail.com'])
    assert.equal(readEmailAddress(text)?.mailbox, 'janedoe@gmail.com', text)
  assert.equal(readEmailAddress('jane.doe@gmail.com')?.key, 'jane.doe@gmail.com')
  assert.equal(readEmailAddress('jane.doe@example.com')?.mailbox, 'jane.doe@example.com')
})

test('an email address with control characters, several addresses, or an invalid domain is rejected', () => {
  for (const text of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'a@b@c',
    'a b@c.de',
    'a\u0000@c.de',
    'a\u200e@c.de',
    'a@c\n.de',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@1',
    'a@gm%61il.com',
    'a@b/c',
    'a@b:80',
    'a@b.cd..',
    'a@b..cd',
    'a@.b.cd',
    'a@..',
    `${'a'.repeat(250)}@b.cd`,
  ])
    assert.equal(readEmailAddress(text), undefined, JSON.stringify(text))
})
