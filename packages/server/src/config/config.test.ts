import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { naming } from '@mediamill/lab/support/message'
import { ConfigError, environmentOf, readConfig, SETTINGS } from './config.ts'
import { misspeltSettings } from './misspelt.ts'

const KEY = 'k'.repeat(32)

function rejection(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof OperatorError)
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }
  return assert.fail('the settings were accepted')
}

test('a variable that resembles a setting gets a warning with the most similar setting', () => {
  const env = {
    RETENTON: '1d',
    MEDIAMILL_PORT: '1',
    port: '1',
    HOME: '/root',
    HOSTNAME: 'x',
    PATH: '',
    RETENTION: '1d',
  }
  assert.deepEqual(misspeltSettings(env), [
    'RETENTON is not a setting. Did you mean RETENTION?',
    'MEDIAMILL_PORT is not a setting. Did you mean PORT?',
    'port is not a setting. Did you mean PORT?',
  ])
  assert.deepEqual(
    misspeltSettings({ USER: 'x', SHELL: 'x', LOGNAME: 'x', DATABASE: 'x', BASE_DIR: '/', DATA: 'x' }),
    [],
  )
})

describe('settings from environment variables', () => {
  test('without environment variables, every setting has its default [operator.settings.1]', () => {
    const { dataDir, workerConcurrency, ...config } = readConfig({})
    assert.deepEqual(config, {
      host: '127.0.0.1',
      metricsPort: undefined,
      port: 8080,
      baseUrl: 'http://127.0.0.1:8080',
      databaseUrl: undefined,
      databaseListenUrl: undefined,
      migrateDatabaseUrl: undefined,
      storageUrl: undefined,
      databaseCa: undefined,
      storageCa: undefined,
      storageAccessKeyId: undefined,
      storageSecretKey: undefined,
      storageSessionToken: undefined,
      secretKey: undefined,
      allowedPrivateHosts: new Set(),
      blockedNetworks: undefined,
      trustedProxies: undefined,
      corsOrigins: [],
      mcpAllowedDestinations: [],
      console: 'on',
      signUp: 'off',
      smtpUrl: undefined,
      mailFrom: undefined,
      stripeSecretKey: undefined,
      stripeWebhookSecret: undefined,
      retentionMs: 604_800_000,
      drainTimeoutMs: 30_000,
      videoSplitThresholdMs: 120_000,
      warmEngines: 'image',
      isolation: 'auto',
      firstAccount: 'print',
      logLevel: 'info',
      maxFramePixels: 100_000_000,
      maxSourcePixels: 400_000_000,
      maxWatermarkBytes: 26_214_400,
      maxImageResultBytes: 536_870_912,
      maxVideoResultBytes: 2_147_483_648,
      maxDocumentResultBytes: 536_870_912,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 1_000,
      imageDeadlineMs: 60_000,
      videoDeadlineMs: 14_400_000,
      documentDeadlineMs: 300_000,
      tracesEndpoint: undefined,
      tracesServiceName: undefined,
      tracesSampler: 'parentbased_always_on',
      tracesSamplerArg: 1,
    })
    assert.equal(dataDir, resolve('data'))
    assert.equal(workerConcurrency, availableParallelism())
  })

  test('the documented default of each setting is its actual default', () => {
    const written = Object.entries(SETTINGS).filter(([, { fallback }]) => !/[ :]/.test(fallback))
    assert.ok(written.length > 10)
    for (const [name, { variable, fallback }] of written) {
      assert.deepEqual(readConfig({ [variable]: fallback })[name as 'port'], readConfig({})[name as 'port'], variable)
    }
  })

  test('an empty environment variable counts as unset, and the object of parsed settings is frozen', () => {
    const config = readConfig({ PORT: '', SECRET_KEY: '' })
    assert.equal(config.port, 8080)
    assert.ok(Object.isFrozen(config))
  })

  test('the default public URL contains the host and port, with brackets for IPv6', () => {
    assert.equal(readConfig({ HOST: '::1', PORT: '9000' }).baseUrl, 'http://[::1]:9000')
    assert.equal(readConfig({ BASE_URL: 'https://media.example/mill/' }).baseUrl, 'https://media.example/mill')
  })

  test('DRAIN_TIMEOUT is at most 7d, and does not apply to API servers', () => {
    assert.equal(readConfig({ DRAIN_TIMEOUT: '7d' }).drainTimeoutMs, 604_800_000)
    assert.throws(() => readConfig({ DRAIN_TIMEOUT: '30d' }), /DRAIN_TIMEOUT is "30d"; it must be .*, at most 7d\.$/)
    assert.equal(readConfig({ DRAIN_TIMEOUT: '1s' }, 'api').drainTimeoutMs, 30_000)
    assert.equal(readConfig({ DRAIN_TIMEOUT: '1s' }, 'worker').drainTimeoutMs, 1_000)
  })

  test('a deadline setting is at most 24d, because a longer timer in Node.js fires at once [operator.settings.1]', () => {
    for (const variable of ['IMAGE_DEADLINE', 'VIDEO_DEADLINE', 'DOCUMENT_DEADLINE']) {
      const { imageDeadlineMs, videoDeadlineMs, documentDeadlineMs } = readConfig({ [variable]: '24d' })
      const longest = Math.max(imageDeadlineMs, videoDeadlineMs, documentDeadlineMs)
      assert.ok(longest === 24 * 86_400_000 && longest < 2 ** 31, variable)
      const wrong = new RegExp(`${variable} is "25d"; it must be .*, at most 24d\\.$`)
      assert.throws(() => readConfig({ [variable]: '25d' }), wrong)
    }
  })

  test('settings for durations, byte sizes with and without a unit, and pixel limits are parsed [limits.media.6]', () => {
    const config = readConfig({
      RETENTION: '90s',
      IMAGE_DEADLINE: '2m',
      MAX_WATERMARK_BYTES: '3KB',
      MAX_VIDEO_RESULT_BYTES: '7',
      MAX_FRAME_PIXELS: '5000',
    })
    assert.deepEqual(
      [config.retentionMs, config.imageDeadlineMs, config.maxWatermarkBytes, config.maxVideoResultBytes],
      [90_000, 120_000, 3072, 7],
    )
    assert.equal(config.maxFramePixels, 5000)
  })

  test('the setting ALLOWED_PRIVATE_HOSTS has pairs of host and port, with brackets for IPv6', () => {
    const { allowedPrivateHosts } = readConfig({ ALLOWED_PRIVATE_HOSTS: '127.0.0.1:9000, [::1]:80,Media.Example:8443' })
    assert.deepEqual([...allowedPrivateHosts], ['127.0.0.1:9000', '::1:80', 'media.example:8443'])
  })

  test('a bucket is parsed with its prefix, endpoint, and region', () => {
    const { storageUrl } = readConfig({
      STORAGE_URL: 's3://results/media/mill/?endpoint=http://127.0.0.1:9000&region=eu-1',
    })
    assert.deepEqual(storageUrl, {
      bucket: 'results',
      prefix: 'media/mill',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu-1',
    })
  })

  test('TRUSTED_PROXIES accepts addresses and address blocks, and rejects names, wrong prefix lengths, and a block of every address', () => {
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,2001:db8::/32' })
    const isTrusted = (address: string) => trustedProxies?.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
    assert.deepEqual(['10.9.9.9', '192.0.2.7', '2001:db8::1'].map(isTrusted), [true, true, true])
    assert.deepEqual(['11.0.0.1', '192.0.2.8', '2001:db9::1'].map(isTrusted), [false, false, false])
    for (const text of [
      ',',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0/8',
      '::/129',
      '0.0.0.0/0',
      '::/0',
      'loopback',
      '1.1.1.1;2.2.2.2',
    ])
      assert.match(rejection({ TRUSTED_PROXIES: text }), /^TRUSTED_PROXIES is /, text)
  })

  test('a wrong setting is rejected with a one-line error that names the variable, the value, and the allowed values', () => {
    assert.match(rejection({ PORT: '65536' }), naming('PORT', '"65536"', '1 to 65535'))
    const wrong: [string, string][] = [
      ['HOST', 'a b'],
      ['HOST', '300.1.1.1'],
      ['PORT', '0'],
      ['PORT', '80.5'],
      ['BASE_URL', 'ftp://example.com'],
      ['BASE_URL', 'https://example.com/?a=1'],
      ['STORAGE_URL', 'https://bucket'],
      ['STORAGE_URL', 's3://bucket?regoin=eu-1'],
      ['STORAGE_URL', 's3://bucket?endpoint=nowhere'],
      ['BLOCKED_NETWORKS', 'example.com'],
      ['BLOCKED_NETWORKS', '8.8.8.0/24,::/0'],
      ['BLOCKED_NETWORKS', 'fe80::1%eth0'],
      ['ALLOWED_PRIVATE_HOSTS', 'localhost'],
      ['ALLOWED_PRIVATE_HOSTS', '127.0.0.1:0'],
      ['ALLOWED_PRIVATE_HOSTS', '::1:80'],
      ['CORS_ORIGINS', 'https://app.example, https://app.example/path'],
      ['RETENTION', '7'],
      ['RETENTION', '0d'],
      ['RETENTION', '3651d'],
      ['WORKER_CONCURRENCY', '-1'],
      ['ISOLATION', 'none'],
      ['LOG_LEVEL', 'loud'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
      ['OTEL_TRACES_SAMPLER', 'sometimes'],
      ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
      ['OTEL_TRACES_SAMPLER_ARG', '.5'],
      ['MAX_FRAME_PIXELS', '0'],
      ['MAX_WATERMARK_BYTES', '25 apples'],
    ]
    for (const [variable, value] of wrong) {
      const line = rejection({ [variable]: value })
      assert.ok(line.startsWith(`${variable} is ${JSON.stringify(value)}; it must be `), line)
    }
  })

  test('a process with several wrong settings reports all of them', () => {
    assert.match(rejection({ PORT: 'x', LOG_LEVEL: 'y' }), /PORT is "x".*LOG_LEVEL is "y"/)
  })

  test('a process ignores the settings of the other role, even wrong ones, and gets only its settings and system variables', () => {
    const env = { STRIPE_SECRET_KEY: 'wrong', SIGN_UP: 'open', SMTP_URL: 'wrong', PORT: '9000', RETENTION: '1d' }
    assert.throws(() => readConfig(env), ConfigError)
    const { stripeSecretKey, signUp, baseUrl, retentionMs } = readConfig(env, 'worker')
    assert.deepEqual([stripeSecretKey, signUp, retentionMs], [undefined, 'off', 86_400_000])
    assert.equal(baseUrl, 'http://127.0.0.1:9000')
    const system = {
      PATH: '/bin',
      LC_ALL: 'C',
      AWS_REGION: 'eu',
      AWS_PROFILE: 'mill',
      PGUSER: 'mill',
      NODE_OPTIONS: '',
    }
    const foreign = { GITHUB_TOKEN: 'x', PGP_KEY: 'x', MY_PATH: 'x', PATHS: 'x', PASSWORD: 'x', TZDATA: 'x' }
    const given = { ...env, ...system, ...foreign }
    assert.deepEqual(environmentOf('worker', given), { PORT: '9000', RETENTION: '1d', ...system })
    const { RETENTION: _, ...ofApi } = env
    assert.deepEqual(environmentOf('api', given), { ...ofApi, ...system })
  })

  test('every secret setting can be in a file, whose trailing newline is removed', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mediamill-secrets-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const fileOf = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const config = readConfig({
      SECRET_KEY_FILE: fileOf('key', `${KEY}\n`),
      DATABASE_URL_FILE: fileOf('database', 'postgres://mill:hunter2@db/mill\r\n'),
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY_FILE: fileOf('aws', ' spaces stay \n'),
      SMTP_URL_FILE: fileOf('smtp', 'smtp://user:pass@mail:587'),
      STRIPE_SECRET_KEY_FILE: fileOf('stripe', 'sk_test_1234567890abcdef\n'),
      STRIPE_WEBHOOK_SECRET_FILE: fileOf('hook', 'whsec_1234567890abcdef\n'),
    })
    assert.deepEqual(
      [config.secretKey, config.databaseUrl, config.storageAccessKeyId, config.storageSecretKey, config.smtpUrl],
      [KEY, 'postgres://mill:hunter2@db/mill', 'AKIA', ' spaces stay ', 'smtp://user:pass@mail:587'],
    )
    assert.deepEqual(
      [config.stripeSecretKey, config.stripeWebhookSecret],
      ['sk_test_1234567890abcdef', 'whsec_1234567890abcdef'],
    )
    const short = fileOf('short', 'short')
    const empty = fileOf('empty', '\n')
    const missing = join(folder, 'missing')
    for (const [env, ...parts] of [
      [{ SECRET_KEY: KEY, SECRET_KEY_FILE: short }, 'SECRET_KEY', 'SECRET_KEY_FILE', 'set only one'],
      [{ SECRET_KEY_FILE: missing }, 'SECRET_KEY_FILE', missing, 'ENOENT'],
      [{ SECRET_KEY_FILE: empty }, 'SECRET_KEY_FILE', empty, 'empty'],
      [{ SECRET_KEY_FILE: short }, `SECRET_KEY in ${short} is a value that is not shown`, SETTINGS.secretKey.allowed],
    ] as const)
      assert.match(rejection(env), naming(...parts))
    assert.deepEqual(environmentOf('worker', { SMTP_URL_FILE: short, SECRET_KEY_FILE: short }), {
      SECRET_KEY_FILE: short,
    })
    assert.equal(readConfig({ PORT_FILE: short }).port, 8080, 'other settings have no file')
  })

  test('a secret key has at least 32 characters, is required with a database URL, and is never printed [operator.settings.3]', () => {
    assert.equal(readConfig({ DATABASE_URL: 'postgres://db/mill', SECRET_KEY: KEY }).secretKey, KEY)
    assert.match(rejection({ DATABASE_URL: 'postgres://db/mill' }), /^SECRET_KEY must be set when DATABASE_URL is/)
    const short = 's'.repeat(31)
    assert.match(rejection({ SECRET_KEY: short }), /^SECRET_KEY is a value that is not shown; it must be /)
    assert.ok(!rejection({ SECRET_KEY: short }).includes(short))
  })

  test('a wrong database URL is printed without its password, or is not printed if the password cannot be found in it', () => {
    const told: [string, string | undefined][] = [
      ['mysql://mill:hunter2@db/mill', 'mysql://mill:…@db/mill'],
      ['postgres://mill:hunter2@db:70000/mill', 'postgres://mill:…@db:70000/mill'],
      ['postgres://mill:hun%zzter2@db/mill', 'postgres://mill:…@db/mill'],
      ['postgres://mill:hun/t@er2@db/mill', 'postgres://mill:…@db/mill'],
      ['mysql://mill@db/mill?password=hunter2', 'mysql://mill@db/mill'],
      ['mysql://db/mill?password=hun@er2', undefined],
      ['postgres://mill:hun#ter2@db/mill', undefined],
      ['postgres://mill:hun?ter2@db/mill', undefined],
      ['postgres://mill:hunter2', undefined],
      ['hunter2', undefined],
    ]
    for (const variable of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'MIGRATE_DATABASE_URL']) {
      for (const [address, shown] of told) {
        const line = rejection({ [variable]: address, SECRET_KEY: KEY })
        const value = shown === undefined ? 'a value that is not shown' : JSON.stringify(shown)
        assert.ok(line.startsWith(`${variable} is ${value}; it must be a postgres:// URL with a host`), line)
        assert.doesNotMatch(line, /hunter2|hun|er2/)
      }
    }
  })

  test('a database URL with several hosts is rejected, and the message contains the fix', () => {
    const wrong = {
      '@one,two/mill': /; it must name one host\. Use the address of HAProxy, .* that leads to the primary\.$/,
      '@one:5432,[::1]:5433/mill?target_session_attrs=read-write': /; it must name one host\./,
      '@one/mill?target_session_attrs=standby': /; target_session_attrs must be read-write or primary\.$/,
    }
    for (const variable of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'MIGRATE_DATABASE_URL']) {
      for (const [rest, message] of Object.entries(wrong)) {
        const line = rejection({ [variable]: `postgres://mill:hunter2${rest}`, SECRET_KEY: KEY })
        assert.match(line, message)
        assert.doesNotMatch(line, /hunter2/)
      }
    }
  })

  test('target_session_attrs in a database URL can require the primary server', () => {
    for (const wanted of ['read-write', 'primary']) {
      const address = `postgres://mill:p,w@one/mill?target_session_attrs=${wanted}`
      assert.equal(readConfig({ DATABASE_URL: address, SECRET_KEY: KEY }).databaseUrl, address)
    }
  })
})

test('VIDEO_SPLIT_THRESHOLD is off or 0, which disables split videos, or a duration [operator.settings.1]', () => {
  const read = (text: string) => readConfig({ VIDEO_SPLIT_THRESHOLD: text }).videoSplitThresholdMs
  assert.deepEqual(['off', '0', '1s', '30m', ''].map(read), [0, 0, 1_000, 1_800_000, 120_000])
  for (const wrong of ['no', '-1s', '0s', '2']) {
    assert.throws(() => read(wrong), /VIDEO_SPLIT_THRESHOLD is ".*"; it must be .*, or off/)
  }
})
