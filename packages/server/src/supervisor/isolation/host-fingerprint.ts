import { createHash } from 'node:crypto'
import { readFile, readlink, stat } from 'node:fs/promises'
import { hostname, release } from 'node:os'
import { join } from 'node:path'
import { findTool } from './command.ts'
import type { IsolationOptions } from './isolation.ts'

const SWITCHES = [
  'kernel/unprivileged_userns_clone',
  'kernel/apparmor_restrict_unprivileged_userns',
  'user/max_user_namespaces',
  'user/max_net_namespaces',
]

const NAMESPACES = ['mnt', 'user', 'net', 'pid', 'ipc']
const RIGHTS = /^(?:Uid|Gid|Cap\w+|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm

const TOOLS = ['bwrap', 'unshare', 'setpriv', 'prlimit', 'sh', 'perl']

const HERE = import.meta.dirname

/** Hashes everything on which a sandbox depends: boot, container, rights, kernel settings, programs, and code. */
export async function hostFingerprint({
  setting,
  scratch,
  entries,
}: Pick<IsolationOptions, 'setting' | 'scratch' | 'entries'>): Promise<string> {
  const parts = await Promise.all([
    text('/proc/sys/kernel/random/boot_id'),
    ...NAMESPACES.map((name) => readlink(`/proc/self/ns/${name}`).catch(() => '')),
    text('/proc/self/status').then((status) => (status.match(RIGHTS) ?? []).join('\n')),
    text('/proc/self/attr/current'),
    ...SWITCHES.map((name) => text(`/proc/sys/${name}`)),
    ...TOOLS.map((name) => identityOf(findTool(name))),
    ...[
      'probe-target',
      'sandbox-probe',
      'command',
      'isolation',
      'landlock',
      'seccomp-filter',
      'system-calls',
      'sandbox-levels',
    ].map((name) => identityOf(ownFile(name))),
    ...[process.execPath, join(HERE, '../../../package.json'), ...entries].map(identityOf),
  ])
  // The path is `<fixed folder>/<new folder>/<scratch folder>/<worker>`. Only the first folder stays the same.
  const folder = join(scratch.path, '../../..')
  const known = [process.platform, release(), hostname(), process.version, setting, folder]
  return createHash('sha256')
    .update(JSON.stringify([...known, ...parts]))
    .digest('hex')
}

const ownFile = (name: string) => import.meta.filename.replace('host-fingerprint', name)

const text = (path: string) => readFile(path, 'utf8').catch(() => '')

async function identityOf(path: string | undefined): Promise<string> {
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
  return found === undefined ? '' : `${path} ${found.ino} ${found.size} ${found.mtimeMs}`
}
