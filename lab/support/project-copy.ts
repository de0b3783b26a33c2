import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Copies the project, with uncommitted changes, into `tmp/`. Hard-links its npm packages, because an engine in a
 * sandbox cannot follow links that lead out of the copy.
 */
export async function copyProject(root: string, name: string): Promise<AsyncDisposable & { path: string }> {
  await mkdir(join(root, 'tmp'), { recursive: true })
  const path = await mkdtemp(join(root, 'tmp', `${name}-`))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = String(list).split('\0').filter(Boolean)
  for (const folder of new Set(files.map((file) => dirname(file)))) await mkdir(join(path, folder), { recursive: true })
  // Ignore missing files: Git also lists files that were deleted.
  await Promise.all(files.map((file) => copyFile(join(root, file), join(path, file)).catch(() => undefined)))
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(path, 'node_modules')])
  // Engines may run as another user, which must be able to enter this folder.
  execFileSync('chmod', ['711', path])
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
