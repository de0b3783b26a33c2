import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Finding, Scenario } from './bench.ts'

function whyNoNamespace(): string | undefined {
  return spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'set', 'lo', 'up']).status === 0
    ? undefined
    : 'a network namespace cannot be created here (requires root, unshare, and ip)'
}

/** For a minute, the name server first sends no response, and then errors. Needs its own network namespace. */
export const names: Scenario = {
  name: 'names that are not found',
  missing: whyNoNamespace,
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'mediamill-names-'))
    const resolver = join(folder, 'resolv.conf')
    await writeFile(resolver, 'nameserver 127.0.0.1\n')
    const script = `ip link set lo up && mount --bind ${resolver} /etc/resolv.conf && exec "$0" "$@"`
    const inside = join(import.meta.dirname, 'names-inside.ts')
    const command = ['--net', '--mount', 'sh', '-c', script, process.execPath, inside]
    try {
      const { stdout } = await promisify(execFile)('unshare', command, { timeout: 300_000 })
      return JSON.parse(stdout) as Finding[]
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
