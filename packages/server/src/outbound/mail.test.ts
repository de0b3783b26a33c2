import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSmtpServer } from '@mediamill/lab/support/smtp-server'
import { Mailer } from './mail.ts'

test('the service sends a mail, and throws if the mail server rejects it', async () => {
  await using smtp = await startSmtpServer()
  const mailer = new Mailer(smtp.url, 'media@example.com')
  const mail = { subject: 'Sign in', text: 'A link.' }
  await mailer.send({ ...mail, to: 'ada@example.com' })
  assert.deepEqual(
    smtp.mails.map(({ from, to }) => [from, ...to]),
    [['media@example.com', 'ada@example.com']],
  )
  await assert.rejects(mailer.send({ ...mail, to: 'refused@example.com' }), /550/)
})
