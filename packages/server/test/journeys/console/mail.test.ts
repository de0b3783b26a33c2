import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBrowser, signedIn, tokenFor } from '@mediamill/lab/support/browser'
import { until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { startSmtpServer, tokenIn } from '@mediamill/lab/support/smtp-server'
import { createAccount } from '../../../src/accounts/create-account.ts'
import { mailSignInLinks, mailSignUp } from '../../../src/accounts/sign-in/mailed-links.ts'
import { readConfig } from '../../../src/config/config.ts'

const smtp = shared(await startSmtpServer())
const service = await sharedService({
  workers: false,
  settings: { SMTP_URL: smtp.url, SIGN_UP: 'open', MAIL_FROM: 'Mediamill <media@example.com>' },
})
const { sql, url } = service

describe('sign-in links by mail', () => {
  test('an account owner who enters the email address with any capital letters gets a sign-in link by mail, and the link signs in [console.sign_in.6]', async () => {
    const { id } = await createAccount(sql, SECRET_KEY, { name: 'Grace', email: 'Grace@Example.com' })
    const asked = await openBrowser(service).call('POST', '/sign-in-links', { body: { email: 'grace@example.com' } })
    assert.deepEqual([asked.status, asked.body], [202, { mailed: 'if_known' }])
    const mail = (await smtp.arrived(1)).at(-1) ?? assert.fail()
    assert.deepEqual([mail.from, mail.to], ['media@example.com', ['Grace@example.com']])
    assert.match(mail.text, /^Subject: Sign in to Mediamill$/m)
    const opened = await openBrowser(service).call('POST', '/session', { body: { token: tokenIn(mail.text) } })
    assert.deepEqual([opened.status, opened.body.account.id], [201, id])
    assert.equal(opened.body.service.mail, true)
  })

  test('a sign-in link for an unknown address is not mailed, and the call returns the same response as for a known address [console.sign_in.6]', async () => {
    const send = () => assert.fail('nobody is to be written to')
    assert.equal(await mailSignInLinks({ sql, baseUrl: url, send }, 'nobody@example.com'), false)
    const before = smtp.mails.length
    const asked = await openBrowser(service).call('POST', '/sign-in-links', { body: { email: 'nobody@example.com' } })
    assert.deepEqual([asked.status, asked.body], [202, { mailed: 'if_known' }])
    assert.equal(smtp.mails.length, before)
  })

  test('sign-in links are mailed to one email address at most five times in 15 minutes [console.limits.2]', async () => {
    await createAccount(sql, SECRET_KEY, { name: 'Edsger', email: 'edsger@example.com' })
    const sent: string[] = []
    const mailing = { sql, baseUrl: url, send: async ({ to }: { to: string }) => void sent.push(to) }
    for (let nth = 0; nth < 7; nth += 1) await mailSignInLinks(mailing, 'EDSGER@example.com')
    assert.equal(sent.length, 5)
  })

  test('a sign-in link can be requested at most five times a minute from one client address [console.limits.2]', async () => {
    await using other = await startService({ workers: false, settings: { SMTP_URL: smtp.url } })
    const statuses: number[] = []
    for (let nth = 0; nth < 6; nth += 1) {
      const { status } = await openBrowser(other).call('POST', '/sign-in-links', { body: { email: 'x@example.com' } })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429])
    const signUp = { body: { name: 'X', email: 'x@example.com' } }
    assert.equal((await openBrowser(other).call('POST', '/sign-up', signUp)).status, 404, 'SIGN_UP is off')
  })
})

test('confirming an email address opens one account, and a second sign-up with this address gets a sign-in link to the account [console.sign_in.7]', async () => {
  const before = smtp.mails.length
  const ask = () =>
    openBrowser(service).call('POST', '/sign-up', { body: { name: 'Barbara', email: 'barbara@example.com' } })
  assert.deepEqual((await ask()).body, { mailed: 'to_confirm' })
  const mail = (await smtp.arrived(before + 1)).at(-1) ?? assert.fail()
  assert.deepEqual(
    [...(await sql`select from accounts where email = 'barbara@example.com'`)],
    [],
    'not before the button',
  )
  const browser = openBrowser(service)
  const opened = await browser.call('POST', '/session', { body: { token: tokenIn(mail.text) } })
  const { account } = opened.body
  assert.deepEqual(
    [account.name, account.email, account.balance.micro_usd],
    ['Barbara', 'barbara@example.com', 1_000_000],
  )
  assert.equal((await browser.call('GET', '/keys')).body.data.length, 2)
  await ask()
  const second = (await smtp.arrived(before + 2)).at(-1) ?? assert.fail()
  assert.match(second.text, /Subject: Sign in to Mediamill/)
  for (const email of ['a@b.c, d@e.f', 'a@b\r\nBcc: x@y.z', '<a@b.c>', 'no address', 'a@b@c']) {
    const rejected = await openBrowser(service).call('POST', '/sign-up', { body: { name: 'X', email } })
    assert.equal(rejected.status, 422, email)
  }
})

test('if SIGN_UP requires invitations, only operators can invite, and only invited people can open an account [console.sign_in.7]', async () => {
  await using invited = await startService({ workers: false, settings: { SIGN_UP: 'invite' } })
  const operator = await signedIn(invited, { kind: 'operator' })
  const made = await operator.call('POST', '/invitations', { body: { name: 'Alan', email: 'alan@example.com' } })
  assert.deepEqual([made.status, made.body.mailed], [201, false])
  const opened = await openBrowser(invited).call('POST', '/session', {
    body: { token: made.body.url.split('#token=')[1] },
  })
  assert.deepEqual([opened.body.kind, opened.body.account.name], ['account', 'Alan'])
  const signUp = { body: { name: 'X', email: 'x@example.com' } }
  assert.equal((await openBrowser(invited).call('POST', '/sign-up', signUp)).status, 404)
  const open = await openBrowser(service).call('POST', '/invitations', signUp)
  assert.equal(open.status, 401)
})

test('if the mail server rejects a recipient, an invitation still returns its link, and no error is logged', async () => {
  const logged: { msg: string; level: number }[] = []
  await using other = await startService({
    workers: false,
    settings: { SMTP_URL: smtp.url, SIGN_UP: 'open', LOG_LEVEL: 'info' },
    logTo: { write: (line) => void logged.push(JSON.parse(line)) },
  })
  const body = { name: 'Alan', email: 'refused@example.com' }
  const operator = await signedIn(other, { kind: 'operator' })
  const made = await operator.call('POST', '/invitations', { body })
  assert.deepEqual([made.status, made.body.mailed], [201, false])
  assert.match(made.body.url, /#token=[\w-]{43}$/)
  assert.equal((await openBrowser(other).call('POST', '/sign-up', { body })).status, 202)
  const unsent = () => logged.filter(({ msg }) => msg === 'email with a link not sent')
  await until(async () => unsent().length === 2)
  assert.deepEqual(
    logged.filter(({ level }) => level > 30),
    [],
  )
})

test('if the mail server rejects the sender address, an error is logged, because no link can be mailed', async () => {
  const logged: { msg: string; level: number }[] = []
  await using other = await startService({
    workers: false,
    settings: { SMTP_URL: smtp.url, MAIL_FROM: 'refused@example.com', SIGN_UP: 'open', LOG_LEVEL: 'info' },
    logTo: { write: (line) => void logged.push(JSON.parse(line)) },
  })
  const body = { name: 'Alan', email: 'alan.rejected@example.com' }
  assert.equal((await openBrowser(other).call('POST', '/sign-up', { body })).status, 202)
  const unsent = () => logged.filter(({ msg }) => msg === 'email with a link not sent')
  await until(async () => unsent().length === 1)
  assert.deepEqual(
    unsent().map(({ level }) => level),
    [50],
  )
})

test('accounts can be opened by mail only if a mail server is configured [console.sign_in.7]', () => {
  assert.throws(() => readConfig({ SIGN_UP: 'open' }), /SIGN_UP=open requires SMTP_URL/)
  assert.throws(() => readConfig({ SMTP_URL: 'http://mail.example.com' }), /SMTP_URL is/)
  assert.throws(
    () => readConfig({ STRIPE_SECRET_KEY: 'sk_test_0123456789' }),
    /Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither/,
  )
})

describe('sign-in and sign-up mails to one address', () => {
  const open = async () => {
    const server = await startSmtpServer()
    const behind = await startService({
      workers: false,
      settings: { SMTP_URL: server.url, SIGN_UP: 'open', TRUSTED_PROXIES: '127.0.0.1' },
    })
    const post = async (path: string, body: object, client: string) =>
      await openBrowser(behind).call('POST', path, { body, headers: { 'x-forwarded-for': client } })
    return {
      server,
      behind,
      post,
      async [Symbol.asyncDispose]() {
        await behind[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  }

  test('80 sign-ups that differ only in the tag after the + of one address send five mails in total, and other addresses still get their mails [console.limits.2]', async () => {
    await using opened = await open()
    const { server, behind, post } = opened
    await createAccount(behind.sql, SECRET_KEY, { name: 'Other', email: 'other@mail.example' })
    await createAccount(behind.sql, SECRET_KEY, { name: 'Victim', email: 'victim@mail.example' })
    for (let nth = 0; nth < 80; nth += 1) {
      const email = `victim+${nth}@mail.example`
      const { status } = await post('/sign-up', { name: 'X', email }, `198.51.100.${nth}`)
      assert.equal(status, 202)
    }
    await server.arrived(5)
    for (const email of ['other@mail.example', 'victim@mail.example'])
      assert.equal((await post('/sign-in-links', { email }, '192.0.2.1')).status, 202)
    assert.equal((await post('/sign-up', { name: 'New', email: 'new@mail.example' }, '192.0.2.2')).status, 202)
    const mails = await server.arrived(8)
    const to = (prefix: string) => mails.filter(({ to: [address = ''] }) => address.startsWith(prefix)).length
    assert.deepEqual([to('victim+'), to('victim@'), to('other@'), to('new@')], [5, 1, 1, 1])
  })

  test('requests for sign-in links of an address without an account do not block the links of another address of its mailbox [console.limits.2]', async () => {
    await using opened = await open()
    const { server, behind, post } = opened
    await createAccount(behind.sql, SECRET_KEY, { name: 'Locked', email: 'locked@mail.example' })
    for (let nth = 0; nth < 5; nth += 1)
      await post('/sign-in-links', { email: `locked+${nth}@mail.example` }, '198.51.100.1')
    assert.equal((await post('/sign-in-links', { email: 'locked@mail.example' }, '192.0.2.1')).status, 202)
    assert.deepEqual((await server.arrived(1))[0]?.to, ['locked@mail.example'])
  })

  test('sign-ups that use up the limit of a domain block neither sign-ins of its accounts nor sign-ups of other domains [console.limits.2]', async () => {
    await using opened = await open()
    const { server, behind, post } = opened
    await createAccount(behind.sql, SECRET_KEY, { name: 'Member', email: 'member@full.example' })
    const statuses: number[] = []
    for (let nth = 0; nth < 31; nth += 1) {
      const { status } = await post('/sign-up', { name: 'X', email: `x${nth}@full.example` }, `198.51.100.${nth}`)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [...Array<number>(30).fill(202), 429])
    assert.equal((await post('/sign-up', { name: 'X', email: 'x@other.example' }, '192.0.2.1')).status, 202)
    assert.equal((await post('/sign-in-links', { email: 'member@full.example' }, '192.0.2.2')).status, 202)
    const mails = await server.arrived(32)
    const to = (address: string) => mails.filter(({ to: [one] }) => one === address).length
    assert.deepEqual([to('member@full.example'), to('x@other.example'), to('x30@full.example')], [1, 1, 0])
  })

  test('an address gets at most five sign-up mails and five sign-in mails, even from simultaneous calls to several processes', async () => {
    const sent: string[] = []
    const mailing = { sql, baseUrl: url, send: async ({ subject }: { subject: string }) => void sent.push(subject) }
    await createAccount(sql, SECRET_KEY, { name: 'Bombed', email: 'bombed@mail.example' })
    const calls = Array.from({ length: 12 }, (_, nth) => [
      mailSignUp(mailing, { name: 'X', email: `bomb+${nth}@mail.example` }),
      mailSignInLinks(mailing, 'bombed@mail.example'),
    ])
    const returned = await Promise.all(calls.flat())
    assert.equal(returned.filter(Boolean).length, 10)
    assert.equal(sent.filter((subject) => subject.startsWith('Create')).length, 5)
    assert.equal(sent.filter((subject) => subject.startsWith('Sign in')).length, 5)
  })

  test('an address opens only one account, even if several links were requested before the first one was used [console.sign_up.2]', async () => {
    await using opened = await open()
    const { server, behind, post } = opened
    for (let nth = 0; nth < 5; nth += 1) await post('/sign-up', { name: 'X', email: 'Five@mail.example' }, '192.0.2.1')
    const tokens = (await server.arrived(5)).map(({ text }) => tokenIn(text))
    const tries = await Promise.all(
      tokens.map(async (token) => await openBrowser(behind).call('POST', '/session', { body: { token } })),
    )
    assert.deepEqual(
      tries.map(({ status }) => status).sort((one, other) => one - other),
      [201, 409, 409, 409, 409],
    )
    assert.equal((await behind.sql`select from accounts where email = 'Five@mail.example'`).count, 1)
  })

  test('a mailbox gets the starting credit only once, even with different tags after the + in its address [console.sign_up.3]', async () => {
    const balances: number[] = []
    for (const email of [
      'credit@mail.example',
      'credit+1@mail.example',
      'CREDIT+2@mail.example',
      'credits@mail.example',
      // Gmail ignores dots in an address, and has two domains. This is not true for other mail services.
      'jane.doe+1@gmail.com',
      'janedoe@gmail.com',
      'J.a.n.e.Doe+2@GoogleMail.com',
      'jane.doe@mail.example',
      'janedoe@mail.example',
    ]) {
      const token = await tokenFor(service, { kind: 'sign_up', name: 'X', email })
      const { body } = await openBrowser(service).call('POST', '/session', { body: { token } })
      balances.push(body.account.balance.micro_usd)
    }
    assert.deepEqual(balances, [1_000_000, 0, 0, 1_000_000, 1_000_000, 0, 0, 1_000_000, 1_000_000])
  })

  test('a look-alike address gets no link to another account, and an unused sign-up link expires once its address has an account [console.sign_up.2]', async () => {
    const sent: { to: string; text: string }[] = []
    const mailing = { sql, baseUrl: url, send: async (mail: { to: string; text: string }) => void sent.push(mail) }
    const early = await tokenFor(service, { kind: 'sign_up', name: 'X', email: 'victim@gmail.com' })
    const lookAlike = await tokenFor(service, { kind: 'sign_up', name: 'X', email: 'victim@gmaİl.com' })
    const { id } = await createAccount(sql, SECRET_KEY, { name: 'Victim', email: 'victim@gmail.com' })
    assert.equal((await openBrowser(service).call('POST', '/session', { body: { token: lookAlike } })).status, 201)
    await mailSignInLinks(mailing, 'Victim@gmail.com')
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['victim@gmail.com'],
    )
    const { body } = await openBrowser(service).call('POST', '/session', {
      body: { token: tokenIn(sent[0]?.text ?? '') },
    })
    assert.equal(body.account.id, id)
    const rejected = await openBrowser(service).call('POST', '/session', { body: { token: early } })
    assert.deepEqual([rejected.status, rejected.body.error.code], [409, 'conflict'])
  })

  test('if addresses of old accounts differ only in the case of ASCII letters, each of these addresses gets a sign-in link [console.sign_up.1, console.sign_up.2]', async () => {
    const sent: string[] = []
    const mailing = { sql, baseUrl: url, send: async ({ to }: { to: string }) => void sent.push(to) }
    for (const email of ['Two@Old.example', 'two@old.example', 'two@old.examplé'])
      await createAccount(sql, SECRET_KEY, { name: 'Two', email })
    await sql`update accounts set email_key = null where name = 'Two'`
    assert.equal(await mailSignInLinks(mailing, 'TWO@old.example'), true)
    assert.deepEqual(sent, ['Two@old.example', 'two@old.example'])
  })
})
