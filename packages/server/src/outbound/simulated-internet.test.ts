import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/** Routes all IPv4 and IPv6 addresses to the loopback device of an empty network. Adds a name to /etc/hosts. */
const MAKE_ALL_LOCAL =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && mount --bind "$HOSTS" /etc/hosts'

/** The flags for a new network. It requires root, or a user namespace in which this user is root. */
const UNSHARE = process.getuid?.() === 0 ? ['-nm'] : ['-rnm']

const inNewNetwork = (script: string, env: NodeJS.ProcessEnv) =>
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', script], { encoding: 'utf8', timeout: 60_000, env })

test('in a simulated internet with private and changing addresses, downloads connect only to public addresses [sources.addresses.1]', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mediamill-world-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const hosts = join(folder, 'hosts')
  writeFileSync(hosts, '127.0.0.1 localhost\n93.184.216.34 inside.example\n')
  const canary = inNewNetwork(MAKE_ALL_LOCAL, { ...process.env, HOSTS: hosts })
  if (canary.status !== 0) {
    return t.skip(`this machine cannot make a network of its own: ${canary.error?.message ?? canary.stderr.trim()}`)
  }
  // Without this variable, the inner tests print text and do not report to this test runner.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  // In one test, a lookup by the system's resolver hangs. It ends after 20 s (resolv.conf(5)).
  const env = { ...inherited, HOSTS: hosts, RES_OPTIONS: 'timeout:20 attempts:1' }
  const world = new URL('../../../../lab/support/public-world.ts', import.meta.url).pathname
  const { status, stdout, stderr } = inNewNetwork(`${MAKE_ALL_LOCAL} && exec '${process.execPath}' '${world}'`, env)
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /pass 8\b/)
})
