import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Gives every address of both families to the loopback device of a network that has nothing else. */
const MAKE_ALL_LOCAL = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo'

/** A new network needs root, or a user namespace in which we are root. */
const UNSHARE = process.getuid?.() === 0 ? ['-n'] : ['-rn']

const inNewNetwork = (script: string, env = process.env) =>
  spawnSync('unshare', [...UNSHARE, 'sh', '-c', script], { encoding: 'utf8', timeout: 60_000, env })

test('on a whole internet of its own, only public addresses are ever connected to [4.6]', (t) => {
  const canary = inNewNetwork(MAKE_ALL_LOCAL)
  if (canary.status !== 0) {
    return t.skip(`this machine cannot make a network of its own: ${canary.error?.message ?? canary.stderr.trim()}`)
  }
  // The inner tests report as text, not to this runner.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  // resolv.conf(5): the system's own resolver, which hangs in one of them, gives up after two seconds.
  const env = { ...inherited, RES_OPTIONS: 'timeout:2 attempts:1' }
  const world = new URL('../../test/support/public-world.ts', import.meta.url).pathname
  const { status, stdout, stderr } = inNewNetwork(`${MAKE_ALL_LOCAL} && exec '${process.execPath}' '${world}'`, env)
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /pass 6\b/)
})
