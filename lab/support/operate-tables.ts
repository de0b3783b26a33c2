import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '@mediamill/server/config/config'
import { table } from '../../scripts/description/markdown.ts'

/** The groups of settings in docs/operate/configuration.md, in order. All other settings are in the group `rare`. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  basic: ['BASE_URL', 'DATA_DIR', 'HOST', 'PORT', 'RETENTION', 'WORKER_CONCURRENCY', 'ISOLATION', 'LOG_LEVEL'],
  machines: [
    'DATABASE_URL',
    'STORAGE_URL',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'STORAGE_CA',
    'DATABASE_CA',
    'SECRET_KEY',
    'TRUSTED_PROXIES',
    'METRICS_PORT',
    'DATABASE_LISTEN_URL',
    'MIGRATE_DATABASE_URL',
  ],
  network: ['ALLOWED_PRIVATE_HOSTS', 'BLOCKED_NETWORKS', 'CORS_ORIGINS', 'MCP_ALLOWED_DESTINATIONS'],
  console: ['CONSOLE', 'SIGN_UP', 'SMTP_URL', 'MAIL_FROM', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  traces: ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_SERVICE_NAME', 'OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
}

const RARE = 'rare'

/** Formats a default value such as `7d` as code. Keeps a sentence unchanged. */
const shownDefault = (fallback: string) =>
  /^[^ ]+$/.test(fallback) ? `\`${fallback}\`` : fallback.replace(/^unset: none$/, 'unset')

const withCode = (text: string) =>
  text.replaceAll(/(?<![`\w])([A-Z]+_[A-Z_*]+(?:\/[\w.-]+)*(?<!\.)|\/(?:v1|mcp|console)\b[\w/]*)(?![`\w])/g, '`$1`')

function settingsTable(group: string): string {
  const listed = Object.values(GROUPS).flat()
  const declared = Object.values(SETTINGS)
  const names = GROUPS[group] ?? declared.map(({ variable }) => variable).filter((name) => !listed.includes(name))
  const rows = names.map((name) => {
    const setting = declared.find(({ variable }) => variable === name)
    if (setting === undefined) throw new Error(`${name} is not a setting: remove it from operate-tables.ts`)
    const { variable, fallback, meaning, allowed, role } = setting
    const reader = role === undefined || role === 'serve' ? '' : ` (${role})`
    return [`\`${variable}\``, shownDefault(fallback), `${withCode(meaning)}${reader}`, withCode(allowed)]
  })
  return table(['Variable', 'Default', 'Meaning', 'Value'], rows)
}

type Metric = { name: string; help: string; labels: readonly string[]; from: string }

const METRIC = /\b(?:counter|gauge|histogram)\(\s*'(\w+)',\s*'([^']+)'(?:,\s*(\[[^\]]*\]))?/g

export function readMetrics(root: string): Metric[] {
  const files = globSync('packages/server/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }).toSorted()
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const from = /\/(?:process|database)-metrics\.ts$/.test(file) ? 'all' : file.includes('/http/') ? 'api' : 'worker'
    return Array.from(text.matchAll(METRIC), ([, name = '', help = '', labels = '']) => ({
      name: `mediamill_${name}`,
      help,
      labels: [...labels.matchAll(/'(\w+)'/g)].map(([, label = '']) => label),
      from,
    }))
  })
}

function metricsTable(root: string): string {
  const rows = readMetrics(root).map(({ name, labels, from, help }) => [
    `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``,
    from,
    withCode(help),
  ])
  return table(['Metric', 'From', 'Meaning'], rows)
}

/** Updates the tables of a page. Each table is between two comments. */
export function withOperateTables(page: string, root: string): string {
  return page.replaceAll(
    /(<!-- generated: (\w+)(?: (\w+))? -->)[^]*?(<!-- end -->)/g,
    (_, open, kind, group, close) => {
      const written = kind === 'metrics' ? metricsTable(root) : settingsTable(group ?? RARE)
      return `${open}\n${written}\n${close}`
    },
  )
}
