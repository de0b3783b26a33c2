import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, listens, until } from '@mediamill/lab/support/process'
import type { Verdict } from '../../../packages/sdk/test/suite.ts'

export async function runInWorkerd(workerd: string, app: string, module: string): Promise<Verdict[]> {
  const port = await freePort()
  const config = join(app, 'workerd.capnp')
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "suite", worker = (
      modules = [(name = "suite", esModule = embed "${module.replace(/^.*\//, '')}")],
      compatibilityDate = "2025-11-01", globalOutbound = "loopback")),
    (name = "loopback", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "suite")],
);
`,
  )
  const child = spawn(workerd, ['serve', config], { cwd: app, stdio: 'inherit' })
  try {
    await until(async () => child.exitCode !== null || (await listens(port)))
    const response = await fetch(`http://127.0.0.1:${port}/`)
    return (await response.json()) as Verdict[]
  } finally {
    child.kill()
    if (child.exitCode === null) await once(child, 'close')
  }
}
