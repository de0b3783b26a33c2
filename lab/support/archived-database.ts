import { appendFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@mediamill/server/db/connection/connect'
import { findPrograms, runProgram, serverUser } from './postgresql-programs.ts'
import { freePort, until } from './process.ts'

/** The system's PostgreSQL with a base backup and a WAL archive, for point-in-time restores. */
export type ArchivedDatabase = AsyncDisposable & {
  url: string
  /** Restores the base backup and the archive up to a time, on another server. Resolves to the server's URL. */
  restore: (to: Date) => Promise<string>
}

export async function startArchivedDatabase(): Promise<ArchivedDatabase> {
  const programs = findPrograms()
  if (programs === undefined)
    throw new Error('no PostgreSQL of the system is installed: scripts/install-test-servers.sh')
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-archived-'))
  const archive = join(folder, 'archive')
  const backup = join(folder, 'backup')
  const owner = serverUser()
  await mkdir(archive)
  if (owner !== undefined) for (const path of [folder, archive]) await chown(path, owner.uid, owner.gid)
  const run = (program: string, ...args: string[]) => runProgram({ programs, folder }, program, ...args)
  const running: string[] = []
  const start = async (data: string, settings: readonly string[]) => {
    const port = await freePort()
    appendFileSync(join(data, 'postgresql.conf'), `${[...settings, `port = ${port}`].join('\n')}\n`)
    await run('pg_ctl', '-D', data, '-l', `${data}.log`, '-s', '-w', '-t', '60', 'start')
    running.push(data)
    return `postgres://mediamill@127.0.0.1:${port}/postgres`
  }
  const query = async (url: string, text: string) => {
    await using stack = new AsyncDisposableStack()
    const sql = connect(url, { connections: 1, applicationName: 'archive' })
    stack.defer(() => sql.end({ timeout: 1 }))
    return [...(await sql.unsafe(text))] as Record<string, unknown>[]
  }

  const main = join(folder, 'main')
  await run('initdb', '-D', main, '-U', 'mediamill', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const url = await start(main, [
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = ''`,
    'max_connections = 120',
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  ])
  await run('pg_basebackup', '-D', backup, '-d', url, '-c', 'fast', '--no-sync')
  return {
    url,
    async restore(to) {
      const [last] = await query(url, 'select pg_walfile_name(pg_switch_wal()) as name')
      await until(async () => {
        const [row] = await query(url, 'select last_archived_wal from pg_stat_archiver')
        return String(row?.['last_archived_wal']) >= String(last?.['name'])
      })
      const copy = join(folder, `restored-${running.length}`)
      const tool = (program: string, ...args: string[]) => runProgram({ programs: '/bin', folder }, program, ...args)
      await tool('cp', '-a', backup, copy)
      await tool('touch', join(copy, 'recovery.signal'))
      const restored = await start(copy, [
        'archive_mode = off',
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_time = '${to.toISOString().replace(/[TZ]/g, ' ')}UTC'`,
        `recovery_target_action = 'promote'`,
      ])
      await until(async () => (await query(restored, 'select pg_is_in_recovery() as still'))[0]?.['still'] === false)
      return restored
    },
    async [Symbol.asyncDispose]() {
      for (const data of running)
        await run('pg_ctl', '-D', data, '-m', 'immediate', '-s', 'stop').catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
