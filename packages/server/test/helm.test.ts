import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { skipReason } from '@mediamill/lab/support/skip-reason'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'

const root = join(import.meta.dirname, '../../..')
const chart = join(root, 'deploy/helm/mediamill')
const tools = join(root, 'node_modules/.cache/helm')
const options = {
  skip: existsSync(join(tools, 'helm')) ? false : skipReason('helm is not installed: scripts/install-helm.sh'),
}

const VARIANTS = {
  default: [],
  full: [
    'autoscaling.enabled=true',
    'serviceMonitor.enabled=true',
    'worker.userNamespaces=true',
    'api.settings.SIGN_UP=invite',
    'worker.settings.RETENTION=2d',
    'worker.drainSeconds=7200',
    'ingress.className=nginx',
    'ingress.annotations.a=b',
    'imagePullSecrets[0].name=registry',
    'api.nodeSelector.pool=small',
    'worker.tolerations[0].key=media',
    'networkPolicy.egress[0].to[0].ipBlock.cidr=10.1.2.3/32',
    'networkPolicy.egress[0].ports[0].port=5432',
  ],
  least: ['ingress.enabled=false', 'networkPolicy.enabled=false', 'migration.enabled=false'],
  closed: ['networkPolicy.ingressNamespaces=null', 'networkPolicy.metricsNamespaces=[]'],
}

const Rendered = z.looseObject({ apiVersion: z.string(), kind: z.string() })

function helm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(join(tools, 'helm'), args, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** Returns the flags that set a value. Helm's `--set` cannot set an empty list. */
const flagsOf = (value: string) => [value.endsWith('=[]') ? '--set-json' : '--set', value]

const render = (variant: keyof typeof VARIANTS) =>
  parseAllDocuments(helm('template', 'prod', chart, '--namespace', 'media', ...VARIANTS[variant].flatMap(flagsOf))).map(
    (document) => Rendered.parse(document.toJS()),
  )

const Env = z.array(z.object({ name: z.string(), value: z.string() }))
const Workload = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        hostUsers: z.boolean().optional(),
        terminationGracePeriodSeconds: z.number().optional(),
        securityContext: z.looseObject({
          runAsNonRoot: z.literal(true),
          seccompProfile: z.looseObject({ type: z.string() }),
        }),
        containers: z.tuple([
          z.looseObject({
            image: z.string().regex(/:\d+\.\d+\.\d+$/),
            env: Env,
            resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
            securityContext: z.looseObject({
              allowPrivilegeEscalation: z.literal(false),
              readOnlyRootFilesystem: z.literal(true),
              procMount: z.string().optional(),
            }),
          }),
        ]),
      }),
    }),
  }),
})

const podsOf = (variant: keyof typeof VARIANTS) =>
  render(variant)
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((object) => Workload.parse(object).spec.template.spec)
    .map((pod) => ({ role: String(z.array(z.string()).parse(pod.containers[0]['args'])[0]), ...pod }))

test('helm lints the chart without a warning', options, () => {
  assert.doesNotMatch(helm('lint', '--strict', chart), /\[(?:WARNING|ERROR)\]/)
})

test('every object of the chart has only fields of its Kubernetes type', {
  ...options,
  timeout: 120_000,
}, async (t) => {
  const packages: Record<string, string> = {
    'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
    'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
    'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  }
  const folder = await mkdtemp(join(tools, 'types-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const objects = Object.keys(VARIANTS).flatMap((name) => render(name as keyof typeof VARIANTS))
  assert.deepEqual([...new Set(objects.map(({ kind }) => kind))].sort(), [
    'Deployment',
    'Ingress',
    'Job',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'ScaledObject',
    'Service',
    'ServiceMonitor',
  ])
  const lines = objects.map((object, index) => {
    const from = packages[object.apiVersion] ?? `kubernetes-models/${object.apiVersion}`
    return `export const object${index}: import('${from}/${object.kind}').I${object.kind} = ${JSON.stringify(object)}`
  })
  // tsc reports unknown fields only in object literals, so write the objects as code.
  await writeFile(join(folder, 'objects.ts'), lines.join('\n'))
  const flags = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck', '--module', 'nodenext', '--types', '']
  const args = [join(root, 'node_modules/.bin/tsc'), ...flags, join(folder, 'objects.ts')]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder })
  assert.equal(status, 0, stdout + stderr)
})

test(
  'workers require a sandbox: Landlock by default, or user namespaces if the chart values enable them',
  options,
  () => {
    const [plain, full] = (['default', 'full'] as const).map((variant) =>
      podsOf(variant).find(({ role }) => role === 'worker'),
    )
    assert.ok(plain !== undefined && full !== undefined)
    for (const { containers } of [plain, full])
      assert.deepEqual(
        containers[0].env.find(({ name }) => name === 'ISOLATION'),
        { name: 'ISOLATION', value: 'require-sandbox' },
      )
    assert.deepEqual(plain.securityContext.seccompProfile, { type: 'RuntimeDefault' })
    assert.deepEqual([plain.hostUsers, plain.containers[0].securityContext.procMount], [undefined, undefined])
    assert.deepEqual(full.securityContext.seccompProfile, { type: 'Localhost', localhostProfile: 'mediamill.json' })
    assert.deepEqual([full.hostUsers, full.containers[0].securityContext.procMount], [false, 'Unmasked'])
  },
)

test('Kubernetes kills a worker pod 15 s after the time limit for its jobs', options, () => {
  const limitsOf = (variant: keyof typeof VARIANTS) =>
    podsOf(variant)
      .filter(({ role }) => role === 'worker')
      .map((pod) => [
        pod.containers[0].env.find(({ name }) => name === 'DRAIN_TIMEOUT')?.value,
        pod.terminationGracePeriodSeconds,
      ])
  assert.deepEqual([limitsOf('default'), limitsOf('full')], [[['30s', 45]], [['7200s', 7215]]])
})

test('the chart rejects drain times that the worker or its pod cannot honor', options, () => {
  const rejected = (value: string) => {
    const { status, stderr } = spawnSync(join(tools, 'helm'), ['template', 'prod', chart, '--set', value], {
      encoding: 'utf8',
    })
    return status === 0 ? value : stderr
  }
  for (const value of ['worker.settings.DRAIN_TIMEOUT=2h', 'settings.DRAIN_TIMEOUT=2h'])
    assert.match(rejected(value), /Set worker\.drainSeconds instead/)
  for (const value of ['worker.drainSeconds=0', 'worker.drainSeconds=604801'])
    assert.match(rejected(value), /must be from 1 to 604800/)
})

test(
  'common settings apply to the API, the workers, and the migration, and the settings of a role apply only to its pods',
  options,
  () => {
    const pods = podsOf('full').map(
      ({ role, containers }) => [role, new Set(containers[0].env.map(({ name }) => name))] as const,
    )
    assert.deepEqual(pods.map(([role]) => role).sort(), ['api', 'migrate', 'worker'])
    for (const [role, names] of pods) {
      assert.ok(names.has('STORAGE_URL'), role)
      assert.equal(names.has('SIGN_UP'), role === 'api')
      assert.equal(names.has('RETENTION'), role === 'worker')
    }
  },
)

test('the ServiceMonitor scrapes the metrics port of each pod once, as the job that the alerts expect', options, () => {
  const Labels = z.record(z.string(), z.string())
  const Ports = z.array(z.object({ name: z.string(), targetPort: z.string() }))
  const Service = z.looseObject({
    metadata: z.looseObject({ labels: Labels }),
    spec: z.looseObject({ selector: Labels, ports: Ports }),
  })
  const Monitor = z.looseObject({
    spec: z.looseObject({
      jobLabel: z.string(),
      selector: z.object({ matchLabels: Labels }),
      endpoints: z.array(z.looseObject({ port: z.string() })),
    }),
  })
  const Pod = z.looseObject({
    metadata: z.looseObject({ labels: Labels }),
    spec: z.looseObject({
      containers: z.tuple([z.looseObject({ ports: z.array(z.looseObject({ name: z.string() })).default([]) })]),
    }),
  })
  const matches = (labels: Record<string, string>, selector: Record<string, string>) =>
    Object.entries(selector).every(([name, value]) => labels[name] === value)
  const objects = render('full')
  const { spec } = Monitor.parse(objects.find(({ kind }) => kind === 'ServiceMonitor'))
  const services = objects
    .filter(({ kind }) => kind === 'Service')
    .map((object) => Service.parse(object))
    .filter(({ metadata }) => matches(metadata.labels, spec.selector.matchLabels))
  assert.deepEqual(
    services.map(({ metadata }) => metadata.labels[spec.jobLabel]),
    ['mediamill'],
  )
  const scrapes = objects.flatMap(({ kind, spec: workload }) => {
    if (kind !== 'Deployment' && kind !== 'Job') return []
    const { metadata, spec: pod } = Pod.parse(z.looseObject({ template: z.unknown() }).parse(workload).template)
    const targets = services
      .filter((service) => matches(metadata.labels, service.spec.selector))
      .flatMap((service) => service.spec.ports)
      .filter(({ name }) => spec.endpoints.some(({ port }) => port === name))
      .map(({ targetPort }) => targetPort)
      .filter((target) => pod.containers[0].ports.some(({ name }) => name === target))
    return [[String(metadata.labels['role']), targets]]
  })
  assert.deepEqual(Object.fromEntries(scrapes), { api: ['http'], migrate: [], worker: ['metrics'] })
})

test(
  'the ingress of the chart routes the start page, the API, the documentation, the console, and MCP',
  options,
  () => {
    const Path = z.looseObject({ path: z.string() })
    const Ingress = z.looseObject({
      spec: z.looseObject({
        rules: z.tuple([z.looseObject({ http: z.looseObject({ paths: z.array(Path) }) })]),
      }),
    })
    const { spec } = Ingress.parse(render('default').find(({ kind }) => kind === 'Ingress'))
    assert.deepEqual(spec.rules[0].http.paths.map(({ path }) => path).sort(), [
      '/',
      '/console',
      '/docs',
      '/llms-full.txt',
      '/llms.txt',
      '/mcp',
      '/v1',
    ])
  },
)

test(
  'every network policy rule limits its sources, and an empty list of namespaces allows no namespace',
  options,
  () => {
    const Policy = z.looseObject({
      spec: z.looseObject({ ingress: z.array(z.looseObject({ from: z.array(z.unknown()).min(1) })).optional() }),
    })
    const rulesOf = (variant: keyof typeof VARIANTS) =>
      Policy.parse(render(variant).find(({ kind }) => kind === 'NetworkPolicy')).spec.ingress ?? []
    assert.deepEqual([rulesOf('default').length, rulesOf('closed').length], [2, 0])
  },
)

test('helm renders the chart with the values of docs/operate/fleet.md', options, async (t) => {
  const [block] = readCodeBlocks().filter(
    ({ page, language }) => page === 'docs/operate/fleet.md' && language === 'yaml',
  )
  const folder = await mkdtemp(join(tools, 'values-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const values = join(folder, 'values.yaml')
  await writeFile(values, block?.code ?? '')
  const rendered = helm('template', 'mediamill', chart, '--values', values)
  for (const text of ['image: registry.example.com/mediamill:', 'cidr: 10.1.2.3/32', 'ingressClassName: nginx'])
    assert.ok(rendered.includes(text), text)
})
