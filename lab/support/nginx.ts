import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, listens, until } from './process.ts'

const SHIPPED = join(import.meta.dirname, '../../deploy/nginx.conf')

/** A real nginx with the shipped configuration, on loopback. */
export type Nginx = AsyncDisposable & { url: string; port: number; log: () => Promise<string> }

/** Returns why nginx cannot be tested here, or `undefined` if it can. */
export function whyNoNginx(): string | undefined {
  return spawnSync('nginx', ['-v']).error === undefined
    ? undefined
    : 'nginx is not installed: scripts/install-test-servers.sh'
}

/** Starts nginx with `deploy/nginx.conf`. Only addresses and the path of its log differ from the shipped file. */
export async function startNginx(apiPorts: readonly [number, number], port?: number): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-nginx-'))
  const ownPort = port ?? (await freePort())
  await mkdir(join(folder, 'temporary'))
  const shipped = replaced(await readFile(SHIPPED, 'utf8'), [
    ['api-1:8080', `127.0.0.1:${apiPorts[0]}`],
    ['api-2:8080', `127.0.0.1:${apiPorts[1]}`],
    ['listen 80;', `listen 127.0.0.1:${ownPort};`],
    ['/var/log/nginx/access.log', `${folder}/access.log`],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    join(folder, 'nginx.conf'),
    [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      'daemon off;',
      `pid ${folder}/pid;`,
      'events {}',
      'http {',
      ...temporary.map((name) => `  ${name}_temp_path ${folder}/temporary/${name};`),
      shipped,
      '}',
    ].join('\n'),
  )
  const arguments_ = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  const child = spawn('nginx', arguments_, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  await Promise.race([
    until(() => listens(ownPort)),
    ended.then(() => Promise.reject(new Error('nginx ended at its start'))),
  ])
  return {
    url: `http://127.0.0.1:${ownPort}`,
    port: ownPort,
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Replaces each text, which must occur exactly once. */
function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    const parts = changed.split(from)
    if (parts.length !== 2) throw new Error(`deploy/nginx.conf contains "${from}" ${parts.length - 1} times`)
    return parts.join(to)
  }, text)
}
