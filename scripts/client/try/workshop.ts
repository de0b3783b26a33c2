import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '../../..')

/** Two folders outside the checkout: the first contains the runtimes, and `app` contains only the packed library. */
export type Workshop = AsyncDisposable & {
  tool: (path: string) => string
  tarball: string
  app: string
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-try-sdk-'))
  const [tools, app] = [join(folder, 'tools'), join(folder, 'app')]
  await Promise.all([mkdir(tools), mkdir(app)])
  // Use no lock file: npm 11.19 omits binaries of other platforms from it, and `npm ci` then rejects it.
  const npm = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await copyFile(join(root, 'packages/sdk/test/runtimes/package.json'), join(tools, 'package.json'))
  await runProgram('npm', ['install', ...npm], { cwd: tools })
  const packed = await runProgram('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(root, 'packages/sdk'),
  })
  const tarball = join(folder, packed.trim().split('\n').at(-1) ?? '')
  await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }\n')
  await runProgram('npm', ['install', ...npm, tarball], { cwd: app })
  return {
    tool: (path) => join(tools, 'node_modules', path),
    tarball,
    app,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
    },
  }
}
