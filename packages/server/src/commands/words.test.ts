import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { runCommand } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'

const database = await sharedDatabase()

const env = { DATABASE_URL: database.url, SECRET_KEY, DATA_DIR: '/nowhere', PATH: '' }

const run = (...args: string[]) => runCommand(args, env)

test('help for a subcommand works with help as the first or the second word of the command [operator.commands.11]', async () => {
  const asked = await run('account', 'create', '--help')
  assert.match(asked.stdout, /^Usage: mediamill account create /)
  assert.deepEqual(await run('help', 'account', 'create'), asked)
  assert.deepEqual(await run('account', 'help', 'create'), asked)
  assert.match(
    (await run('help')).stdout,
    /Usage: mediamill [^]*Settings come from the environment: mediamill serve --help/,
  )
  const unknown = await run('help', 'acount')
  assert.deepEqual([unknown.code, unknown.stdout], [2, ''])
  assert.match(unknown.stderr, /acount[^]*Did you mean account\?/)
})

test('mediamill serve, api, and worker each list with --help only the settings that they use [operator.commands.11]', async () => {
  const settingsOf = async (role: string) => new Set((await run(role, '--help')).stdout.match(/^ {2}[A-Z_]+(?= )/gm))
  const [serve, api, worker] = await Promise.all([settingsOf('serve'), settingsOf('api'), settingsOf('worker')])
  assert.ok(serve.has('  SIGN_UP') && api.has('  SIGN_UP') && !worker.has('  SIGN_UP'))
  assert.ok(serve.has('  ISOLATION') && !api.has('  ISOLATION') && worker.has('  ISOLATION'))
  assert.deepEqual(new Set([...api, ...worker, '  FIRST_ACCOUNT']), serve)
})

test('every command error starts with the program name', async () => {
  for (const args of [
    ['account', 'show', 'abc'],
    ['acount'],
    ['account', 'show', '999'],
    ['account', 'limits', '1001'],
    ['try'],
  ]) {
    const { code, stderr } = await run(...args)
    assert.match(stderr, /^mediamill: (?!error)/, args.join(' '))
    assert.ok(code === 1 || code === 2)
  }
})

test('a list command without results prints a sentence, or [] with --json [operator.commands.1]', async () => {
  const { code, stdout } = await run('account', 'list')
  assert.deepEqual([code, stdout], [0, 'There are no accounts yet. Create one with mediamill account create.\n'])
  assert.deepEqual(JSON.parse((await run('account', 'list', '--json')).stdout), { accounts: [] })
})

test('account create with the email address of another account opens a second account, and prints a warning with the id of the first account', async () => {
  const create = (email: string, ...more: string[]) =>
    run('account', 'create', '--name', 'Ada', '--email', email, ...more)
  const first = await create('ada@example.com', '--json')
  const { account } = JSON.parse(first.stdout)
  assert.equal(first.stderr, '')
  const second = await create('Ada@Example.com', '--json')
  assert.equal(second.code, 0)
  assert.equal(second.stderr, `mediamill: Another account has this email address: ${account.id}.\n`)
  assert.equal(JSON.parse(second.stdout).account.email, 'Ada@Example.com')
})

test('a new account prints a warning to save its keys, which are shown once, and the command that shows the webhook secret [auth.keys.3, operator.commands.10]', async () => {
  const { stdout } = await run('account', 'create', '--name', 'Eve', '--email', 'eve@example.com')
  const secret = /whsec_\S+/.exec(stdout)?.[0] ?? ''
  const id = /account +(\d+)/.exec(stdout)?.[1] ?? ''
  assert.match(
    stdout,
    /Save the keys now\. They are not shown again\. mediamill secret show \d+ shows the webhook secret\./,
  )
  assert.ok((await run('secret', 'show', id)).stdout.includes(secret))
})
