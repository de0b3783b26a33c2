import { appendFileSync, chownSync, writeFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrograms, runProgram, serverUser } from './postgresql-programs.ts'
import { freePort } from './process.ts'
import { LOCALHOST_CERTIFICATE, TEST_CERTIFICATE } from './tls.ts'

/** A PostgreSQL server on 127.0.0.1 with a certificate for `localhost`. */
type TlsDatabase = AsyncDisposable & {
  port: number
  /** The path of the server's self-signed certificate, which clients also use as the authority. */
  ca: string
  /** The path of another certificate, which did not sign the server's certificate. */
  otherCa: string
  key: string
  setTls: (on: boolean) => Promise<void>
}

/** Starts the server with two users: `encrypted` requires TLS, and `certified` also requires a client certificate. */
export async function startTlsDatabase(): Promise<TlsDatabase> {
  const programs = findPrograms()
  if (programs === undefined) throw new Error('no PostgreSQL of the system is installed')
  const owner = serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-tls-'))
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const run = (program: string, ...args: string[]) => runProgram({ programs, folder }, program, ...args)
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid)
    return path
  }
  const ca = write('server.crt', LOCALHOST_CERTIFICATE.cert)
  const key = write('server.key', LOCALHOST_CERTIFICATE.key)
  const otherCa = write('other.crt', TEST_CERTIFICATE.cert)
  const port = await freePort()
  const configure = (...lines: string[]) => appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  await run('initdb', '-D', data, '-U', 'open', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  configure(`port = ${port}`, `listen_addresses = '127.0.0.1'`, `unix_socket_directories = '${folder}'`, 'ssl = on')
  configure(`ssl_cert_file = '${ca}'`, `ssl_key_file = '${key}'`, `ssl_ca_file = '${ca}'`)
  writeFileSync(
    join(data, 'pg_hba.conf'),
    [
      'local all open trust',
      'host all open 127.0.0.1/32 trust',
      'hostssl all encrypted 127.0.0.1/32 trust',
      'hostssl all certified 127.0.0.1/32 trust clientcert=verify-ca\n',
    ].join('\n'),
  )
  await run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-s', '-w', '-t', '60', 'start')
  for (const user of ['encrypted', 'certified'])
    await run('createuser', '-h', folder, '-p', String(port), '-U', 'open', user)
  return {
    port,
    ca,
    otherCa,
    key,
    async setTls(on) {
      configure(`ssl = ${on ? 'on' : 'off'}`)
      await run('pg_ctl', '-D', data, '-s', 'restart', '-m', 'fast', '-w', '-t', '60', '-l', join(folder, 'log'))
    },
    async [Symbol.asyncDispose]() {
      await run('pg_ctl', '-D', data, '-s', '-m', 'immediate', 'stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
