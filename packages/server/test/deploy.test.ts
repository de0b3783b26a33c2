import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { skipReason } from '@mediamill/lab/support/skip-reason'
import { SETTINGS } from '@mediamill/server/config/config'
import { parse } from 'yaml'
import { z } from 'zod'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const Service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.string().optional(),
  mem_limit: z.string(),
  profiles: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.unknown()).default({}),
  security_opt: z.array(z.string()).default([]),
})
const Compose = z.looseObject({ services: z.record(z.string(), Service) })

const COMPOSE_FILES = ['compose.yaml', 'deploy/compose.scaled.yaml']

const servicesOf = (file: string) => Object.entries(Compose.parse(parse(read(file), { merge: true })).services)

/** An image reference with a version or a date, and a digest. */
const PINNED_IMAGE = /^[\w/]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}$/

test('each Compose service has a memory limit, and each pulled image has a version and a digest', () => {
  let pulled = 0
  for (const file of COMPOSE_FILES) {
    for (const [name, service] of servicesOf(file)) {
      assert.match(service.mem_limit, /^(?:\$\{[A-Z_]+:-)?\d+[mg]\}?$/, `${file}: ${name}`)
      if (service.build !== undefined) continue
      pulled += 1
      assert.match(service.image, PINNED_IMAGE, `${file}: ${name}`)
    }
  }
  assert.equal(pulled, 3)
})

test('each base image of the Dockerfile has a version and a digest', () => {
  const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)]
    .map(([, image = '']) => image)
    .filter((image) => image !== 'scratch')
  assert.equal(images.length, 2)
  for (const image of images) assert.match(image, PINNED_IMAGE)
})

test('each container image of a workflow has a version and a digest', () => {
  const Job = z.looseObject({ container: z.object({ image: z.string() }).or(z.string()).optional() })
  const Workflow = z.looseObject({ jobs: z.record(z.string(), Job) })
  const folder = '.github/workflows'
  const jobs = readdirSync(join(root, folder)).flatMap((name) =>
    Object.values(Workflow.parse(parse(read(join(folder, name)))).jobs),
  )
  const images = jobs.flatMap(({ container }) => (typeof container === 'object' ? container.image : (container ?? [])))
  assert.equal(images.length, 1)
  for (const image of images) assert.match(image, PINNED_IMAGE)
})

test('each service of a Compose file that runs engines requires a sandbox, and keeps the security profiles of Docker', () => {
  let count = 0
  for (const file of COMPOSE_FILES) {
    for (const [name, { build, command, environment, security_opt: options }] of servicesOf(file)) {
      if (build === undefined || command === 'api') continue
      count += 1
      assert.equal(environment['ISOLATION'], 'require-sandbox', `${file}: ${name}`)
      assert.ok(options.includes('no-new-privileges:true'), `${file}: ${name}`)
      assert.deepEqual(
        options.filter((option) => option.endsWith('unconfined')),
        [],
        `${file}: ${name}`,
      )
      const profile = options.find((option) => option.startsWith('seccomp='))?.slice('seccomp='.length) ?? 'none'
      assert.ok(existsSync(join(root, dirname(file), profile)), `${file}: ${name}: ${profile}`)
    }
  }
  assert.equal(count, 4)
})

const hasCompose = spawnSync('docker-compose', ['version']).error === undefined
const options = {
  skip: hasCompose ? false : skipReason('docker-compose is not installed: scripts/install-test-servers.sh'),
}

test('docker-compose accepts both Compose files', options, () => {
  const secrets = 'SECRET_KEY POSTGRES_PASSWORD S3_KEY S3_SECRET GARAGE_RPC_SECRET TLS_PEM'.split(' ')
  const env = { PATH: process.env['PATH'], ...Object.fromEntries(secrets.map((name) => [name, '/secret'])) }
  for (const file of COMPOSE_FILES) {
    const cwd = join(root, dirname(file))
    // The `docker-compose` of Debian does not support the top-level `name`.
    const input = read(file).replace(/^name: .*$/m, '')
    const args = ['--project-directory', cwd, '--file', '-', 'config', '--quiet']
    const { status, stderr } = spawnSync('docker-compose', args, { cwd, env, input, encoding: 'utf8' })
    assert.equal(status, 0, `${file}: ${stderr}`)
  }
})

test('Docker kills a worker of compose.scaled.yaml 15 s after the time limit for its jobs', () => {
  const workers = servicesOf('deploy/compose.scaled.yaml').filter(([name]) => name.startsWith('worker'))
  for (const [name, service] of workers)
    assert.deepEqual(
      [service.environment['DRAIN_TIMEOUT'], service['stop_grace_period']],
      ['${WORKER_DRAIN_MINUTES:-1}m', '${WORKER_DRAIN_MINUTES:-1}m15s'],
      name,
    )
})

test('compose.yaml and the systemd units kill a process 15 s after the default DRAIN_TIMEOUT', () => {
  const seconds = `${SETTINGS.drainTimeoutMs.value / 1000 + 15}`
  assert.match(read('compose.yaml'), new RegExp(`stop_grace_period: ${seconds}s\n`))
  for (const role of ['api', 'worker'])
    assert.match(read(`deploy/systemd/mediamill-${role}@.service`), new RegExp(`^TimeoutStopSec=${seconds}$`, 'm'))
})

test('each profile of compose.scaled.yaml contains the services of one machine', () => {
  const machines = Object.groupBy(servicesOf('deploy/compose.scaled.yaml'), ([, { profiles }]) => profiles.join())
  assert.deepEqual(
    Object.fromEntries(Object.entries(machines).map(([name, services]) => [name, services?.map(([each]) => each)])),
    {
      front: ['proxy', 'api-1', 'api-2'],
      work: ['worker-1', 'worker-2', 'worker-3'],
      data: ['database', 'store'],
    },
  )
})

test('seccomp.json denies system calls by default, and always allows the calls that a sandbox needs', () => {
  const Profile = z.looseObject({
    defaultAction: z.literal('SCMP_ACT_ERRNO'),
    syscalls: z.array(
      z.looseObject({
        names: z.array(z.string()),
        action: z.string(),
        args: z.array(z.unknown()).nullish(),
        includes: z.looseObject({}).nullish(),
        excludes: z.looseObject({}).nullish(),
      }),
    ),
  })
  const { syscalls } = Profile.parse(JSON.parse(read('deploy/seccomp.json')))
  const isEmpty = (value: object | null | undefined) => Object.keys(value ?? {}).length === 0
  const always = new Set(
    syscalls
      .filter(
        ({ action, args, includes, excludes }) =>
          action === 'SCMP_ACT_ALLOW' && [args, includes, excludes].every(isEmpty),
      )
      .flatMap(({ names }) => names),
  )
  const missing = ['clone', 'unshare', 'mount', 'umount2', 'pivot_root', 'chroot'].filter((name) => !always.has(name))
  assert.deepEqual(missing, [])
  const dangerous = [
    'bpf',
    'init_module',
    'kexec_load',
    'keyctl',
    'io_uring_setup',
    'perf_event_open',
    'userfaultfd',
    'setns',
  ]
  assert.deepEqual(
    dangerous.filter((name) => always.has(name)),
    [],
  )
})
