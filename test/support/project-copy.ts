import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Copies the project, with what is not committed yet, into a folder of its own. */
export async function copyProject(root: string, name: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), `mediamill-${name}-`))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of String(list).split('\0').filter(Boolean)) {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await cp(join(root, file), join(path, file)).catch(() => {})
  }
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  // Engines that run as another user must be able to pass.
  execFileSync('chmod', ['711', path])
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
