import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { whyNoPair } from '@mediamill/lab/support/database-pair'
import { naming } from '@mediamill/lab/support/message'
import { startTlsDatabase } from '@mediamill/lab/support/tls-database'
import { readConfig } from '../../config/config.ts'
import { awaitDatabase } from './await-database.ts'
import { connect } from './connect.ts'

const KEY = 'k'.repeat(32)

describe('TLS to PostgreSQL', { skip: whyNoPair() ?? false, timeout: 120_000 }, async () => {
  if (whyNoPair() !== undefined) return
  const database = await startTlsDatabase()
  after(() => database[Symbol.asyncDispose]())
  const { port, ca, otherCa, key } = database
  const addressOf = (query: string, { user = 'open', hosts = `localhost:${port}` } = {}) =>
    `postgres://${user}@${hosts}/postgres${query === '' ? '' : `?${query}`}`

  async function isEncrypted(address: string): Promise<boolean> {
    const sql = connect(await awaitDatabase(address, { timeoutMs: 0 }), { connections: 1, applicationName: 'test' })
    try {
      const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
      return row?.ssl === true
    } finally {
      await sql.end({ timeout: 1 })
    }
  }

  const failure = (address: string) =>
    isEncrypted(address).then(
      (on) => `connected, TLS ${on ? 'on' : 'off'}`,
      (error: unknown) => String(error),
    )

  test('each sslmode encrypts the connection, or leaves it plain, as in libpq; without sslmode, it is plain', async () => {
    const modes = {
      '': false,
      'sslmode=disable': false,
      'sslmode=allow': true,
      'sslmode=prefer': true,
      'sslmode=require': true,
      [`sslmode=require&sslrootcert=${ca}`]: true,
      [`sslrootcert=${ca}`]: true,
      [`sslmode=verify-ca&sslrootcert=${ca}`]: true,
      [`sslmode=verify-full&sslrootcert=${ca}`]: true,
      'sslmode=require&channel_binding=prefer&gssencmode=disable&sslnegotiation=postgres&sslsni=1': true,
      'sslmode=require&ssl_min_protocol_version=TLSv1.2&sslcompression=0&sslcertmode=allow': true,
    }
    for (const [query, expected] of Object.entries(modes)) {
      assert.equal(await isEncrypted(addressOf(query)), expected, query)
      assert.equal(readConfig({ DATABASE_URL: addressOf(query), SECRET_KEY: KEY }).databaseUrl, addressOf(query))
    }
    assert.equal(await isEncrypted(addressOf('sslmode=require', { user: 'encrypted' })), true)
  })

  test("DATABASE_CA is PEM text or a file, and makes TLS verify the server's name; sslrootcert in the URL overrides it", async () => {
    const addressWith = (authority: string, query: string, hosts = `localhost:${port}`) => {
      const config = readConfig({ DATABASE_URL: addressOf(query, { hosts }), DATABASE_CA: authority, SECRET_KEY: KEY })
      return config.databaseUrl ?? ''
    }
    for (const authority of [ca, await readFile(ca, 'utf8')]) {
      assert.equal(await isEncrypted(addressWith(authority, '')), true)
      assert.equal(await isEncrypted(addressWith(authority, 'sslmode=require')), true)
      assert.match(await failure(addressWith(authority, '', `127.0.0.1:${port}`)), /ERR_TLS_CERT_ALTNAME_INVALID/)
    }
    assert.match(await failure(addressWith(otherCa, '')), /DEPTH_ZERO_SELF_SIGNED_CERT/)
    assert.equal(await isEncrypted(addressWith(otherCa, `sslmode=verify-full&sslrootcert=${ca}`)), true)
    assert.equal(await isEncrypted(addressWith(ca, 'sslmode=disable')), false)
    assert.throws(() => addressWith('/none/ca.crt', ''), {
      message: naming('DATABASE_CA is "/none/ca.crt"', 'file', 'ENOENT'),
    })
  })

  test('a connection rejects a certificate of another certificate authority, and does not retry', async () => {
    const untrusted = /^OperatorError: DATABASE_URL: TLS to the database failed: .*\(DEPTH_ZERO_SELF_SIGNED_CERT\)\.$/
    for (const query of [
      `sslmode=require&sslrootcert=${otherCa}`,
      `sslmode=verify-ca&sslrootcert=${otherCa}`,
      `sslmode=verify-full&sslrootcert=${otherCa}`,
      'sslmode=verify-full',
      'sslrootcert=system',
    ])
      assert.match(await failure(addressOf(query)), untrusted, query)
  })

  test('only sslmode verify-full checks the name in the certificate, for host names and addresses', async () => {
    const hosts = `127.0.0.1:${port}`
    assert.equal(await isEncrypted(addressOf(`sslmode=verify-ca&sslrootcert=${ca}`, { hosts })), true)
    const wrongName = /^OperatorError: DATABASE_URL: TLS to the database failed: .*\(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/
    assert.match(await failure(addressOf(`sslmode=verify-full&sslrootcert=${ca}`, { hosts })), wrongName)
  })

  test('a connection presents the configured client certificate', async () => {
    const user = 'certified'
    assert.match(await failure(addressOf('sslmode=require', { user })), /client certificate/)
    assert.equal(await isEncrypted(addressOf(`sslmode=require&sslcert=${ca}&sslkey=${key}`, { user })), true)
  })

  test('if the server has no TLS, the connection is plain with sslmode prefer, and fails with sslmode require', async () => {
    await database.setTls(false)
    try {
      assert.equal(await isEncrypted(addressOf('sslmode=prefer')), false)
      assert.equal(await isEncrypted(addressOf('sslmode=allow')), false)
      assert.match(
        await failure(addressOf('sslmode=require')),
        naming('OperatorError: DATABASE_URL', 'does not support SSL connections'),
      )
    } finally {
      await database.setTls(true)
    }
  })

  test('a wrong TLS parameter stops the start with an error that names the variable and the allowed values', () => {
    const wrong: [string, ...string[]][] = [
      ['sslmode=full', 'sslmode', 'disable, allow, prefer, require, verify-ca, or verify-full', 'got "full"'],
      ['sslmode=require&sslrootcert=/none/ca.crt', 'sslrootcert', 'file', 'ENOENT', '/none/ca.crt'],
      [`sslmode=verify-ca&sslrootcert=${key}`, 'sslrootcert', 'PEM', key],
      ['sslmode=require&sslrootcert=system', 'sslrootcert=system', 'sslmode=verify-full'],
      [`sslmode=require&sslcert=${ca}`, 'sslcert and sslkey', 'together'],
      [`sslmode=prefer&sslcert=${ca}&sslkey=${key}`, 'sslcert', 'sslmode=require, verify-ca, or verify-full'],
      ['channel_binding=require', 'channel_binding', 'disable or prefer', 'got "require"'],
      ['sslmode=require&ssl_min_protocol_version=TLSv1.3', 'TLSv1, TLSv1.1, or TLSv1.2', 'got "TLSv1.3"'],
      ['sslmode=verify-full&sslcrl=/crl.pem', 'sslcrl is not supported'],
    ]
    for (const variable of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'MIGRATE_DATABASE_URL']) {
      for (const [query, ...parts] of wrong) {
        assert.throws(() => readConfig({ [variable]: `postgres://mill:hunter2@db/mill?${query}`, SECRET_KEY: KEY }), {
          name: 'ConfigError',
          message: naming(`${variable} is "postgres://mill:…@db/mill"`, ...parts),
        })
      }
    }
  })
})
