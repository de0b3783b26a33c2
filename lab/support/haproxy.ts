import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { freePort, listens, until } from './process.ts'
import { LOCALHOST_CERTIFICATE } from './tls.ts'

const SHIPPED = join(import.meta.dirname, '../../deploy/haproxy.cfg')

/** HAProxy with the shipped configuration, on loopback. The test process trusts HAProxy's certificate. */
export type HaProxy = AsyncDisposable & {
  url: string
  certificate: string
  log: () => string
  reload: () => Promise<void>
}

/** Starts HAProxy with `deploy/haproxy.cfg`. Only addresses, the certificate, and the user differ from that file. */
export async function startHaProxy(apiPorts: readonly [number, number], port?: number): Promise<HaProxy> {
  setDefaultCACertificates([...getCACertificates('default'), LOCALHOST_CERTIFICATE.cert])
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-haproxy-'))
  const ownPort = port ?? (await freePort())
  await writeFile(join(folder, 'tls.pem'), LOCALHOST_CERTIFICATE.cert + LOCALHOST_CERTIFICATE.key)
  const file = join(folder, 'haproxy.cfg')
  const shipped = replaced(await readFile(SHIPPED, 'utf8'), [
    ['server api-1 api-1:8080', `server api-1 127.0.0.1:${apiPorts[0]}`],
    ['server api-2 api-2:8080', `server api-2 127.0.0.1:${apiPorts[1]}`],
    ['server api-1-unchecked api-1:8080', `server api-1-unchecked 127.0.0.1:${apiPorts[0]}`],
    ['server api-2-unchecked api-2:8080', `server api-2-unchecked 127.0.0.1:${apiPorts[1]}`],
    ['bind :443', `bind 127.0.0.1:${ownPort}`],
    ['bind :80', `bind 127.0.0.1:${await freePort()}`],
    ['ssl crt /etc/haproxy/tls.pem', `ssl crt ${join(folder, 'tls.pem')}`],
    ['  user haproxy\n  group haproxy\n', ''],
  ])
  await writeFile(file, shipped)
  const child = spawn('haproxy', ['-W', '-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  const ended = once(child, 'exit')
  const loads = () => log.split('Loading success').length - 1
  await until(async () => child.exitCode !== null || (loads() > 0 && (await listens(ownPort))))
  if (child.exitCode !== null) throw new Error(`HAProxy ended at its start: ${log}`)
  return {
    url: `https://localhost:${ownPort}`,
    certificate: join(folder, 'tls.pem'),
    log: () => log,
    async reload() {
      const before = loads()
      let sentAt = Number.NEGATIVE_INFINITY
      await until(() => {
        if (loads() > before) return true
        // HAProxy loses a signal that arrives while it starts, so send it again after a second.
        if (performance.now() - sentAt > 1_000) {
          child.kill('SIGUSR2')
          sentAt = performance.now()
        }
        return false
      })
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    const parts = changed.split(from)
    if (parts.length !== 2) throw new Error(`deploy/haproxy.cfg contains "${from}" ${parts.length - 1} times`)
    return parts.join(to)
  }, text)
}
