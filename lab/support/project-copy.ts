import { execFileSync } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Copies the project, with what is not committed yet, into a folder of its own. */
export async function copyProject(root: string, name: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), `mediamill-${name}-`))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = String(list).split('\0').filter(Boolean)
  for (const folder of new Set(files.map((file) => dirname(file)))) await mkdir(join(path, folder), { recursive: true })
  // What git lists and is gone is left out.
  await Promise.all(files.map((file) => copyFile(join(root, file), join(path, file)).catch(() => undefined)))
  await linkModules(join(root, 'node_modules'), join(path, 'node_modules'))
  // Engines that run as another user must be able to pass.
  execFileSync('chmod', ['711', path])
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Links every installed package; the workspaces' own links are copied, so that they lead into the copy. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to)
  for (const name of await readdir(from)) {
    if (name === '@mediamill') await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else await symlink(join(from, name), join(to, name))
  }
}
