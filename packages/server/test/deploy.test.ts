import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const Service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.string().optional(),
  mem_limit: z.string(),
  environment: z.record(z.string(), z.unknown()).default({}),
  security_opt: z.array(z.string()).default([]),
})
const Compose = z.looseObject({ services: z.record(z.string(), Service) })

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
  securityContext: z.looseObject({ procMount: z.string().optional() }),
})
const Deployment = z.looseObject({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        hostUsers: z.boolean().optional(),
        securityContext: z.looseObject({
          runAsNonRoot: z.literal(true),
          seccompProfile: z.looseObject({ type: z.string() }),
          appArmorProfile: z.looseObject({ type: z.string() }).optional(),
        }),
        containers: z.array(Container),
      }),
    }),
  }),
})

/** Kubernetes merges the containers of a patch by name. */
const Patch = z.strictObject({
  spec: z.strictObject({
    template: z.strictObject({
      spec: z.strictObject({
        hostUsers: z.boolean(),
        securityContext: z.strictObject({
          seccompProfile: z.strictObject({ type: z.string(), localhostProfile: z.string() }),
          appArmorProfile: z.strictObject({ type: z.string() }),
        }),
        containers: z.array(
          z.strictObject({ name: z.string(), securityContext: z.strictObject({ procMount: z.string() }) }),
        ),
      }),
    }),
  }),
})

const COMPOSE_FILES = ['compose.yaml', 'deploy/compose.scaled.yaml']

/** The services of a Compose file. */
const servicesOf = (file: string) => Object.entries(Compose.parse(parse(read(file), { merge: true })).services)

/** The deployment of a Kubernetes file, which is its first document. */
function podOf(file: string) {
  const documents = parseAllDocuments(read(file))
  for (const document of documents) assert.deepEqual(document.errors, [], file)
  return Deployment.parse(documents[0]?.toJS()).spec.template.spec
}

test('each service of a Compose file has a memory limit, and each pulled image has a version', () => {
  for (const file of COMPOSE_FILES) {
    for (const [name, service] of servicesOf(file)) {
      assert.match(service.mem_limit, /^(?:\$\{[A-Z_]+:-)?\d+[mg]\}?$/, `${file}: ${name}`)
      if (service.build === undefined) assert.match(service.image, /:v?\d/, `${file}: ${name}`)
    }
  }
})

test('each service of a Compose file that runs engines requires a sandbox, and keeps the profiles of Docker', () => {
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

test('each Kubernetes deployment names a version of its image, and the worker requires a sandbox, plain or with user namespaces', () => {
  for (const file of ['deploy/kubernetes/api.yaml', 'deploy/kubernetes/worker.yaml'])
    for (const { image } of podOf(file).containers) assert.match(image, /:\d+\.\d+\.\d+$/, file)
  const { hostUsers, securityContext, containers } = podOf('deploy/kubernetes/worker.yaml')
  assert.equal(hostUsers, undefined)
  assert.deepEqual(securityContext.seccompProfile, { type: 'RuntimeDefault' })
  for (const { env, securityContext: own } of containers) {
    assert.ok(env.some(({ name, value }) => name === 'ISOLATION' && value === 'require-sandbox'))
    assert.equal(own.procMount, undefined)
  }
  const patch = Patch.parse(parse(read('deploy/kubernetes/patches/user-namespaces.yaml'))).spec.template.spec
  assert.equal(patch.hostUsers, false)
  assert.equal(patch.securityContext.seccompProfile.type, 'Localhost')
  assert.deepEqual(patch.containers, [{ name: containers[0]?.name, securityContext: { procMount: 'Unmasked' } }])
})

test('the ingress routes the API, the documentation, the console with its payment events, and MCP', () => {
  const Paths = z.looseObject({ http: z.looseObject({ paths: z.array(z.looseObject({ path: z.string() })) }) })
  const Ingress = z.looseObject({ kind: z.literal('Ingress'), spec: z.looseObject({ rules: z.array(Paths) }) })
  const found = parseAllDocuments(read('deploy/kubernetes/ingress.yaml'))
    .map((document) => Ingress.safeParse(document.toJS()))
    .flatMap(({ data }) => data?.spec.rules ?? [])
    .flatMap(({ http }) => http.paths.map(({ path }) => path))
  const missing = ['/v1', '/docs', '/console', '/mcp', '/llms.txt'].filter((path) => !found.includes(path))
  assert.deepEqual(missing, [])
})

test('seccomp.json denies by default, and allows the calls that a sandbox needs without a condition', () => {
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
