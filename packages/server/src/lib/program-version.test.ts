import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageVersion, readCommit, versionText } from './program-version.ts'

test("the commit in the program version comes from the build or the program's own checkout, and from no other repository", async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'mediamill-version-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { encoding: 'utf8' })
  git('init', '--quiet')
  git('commit', '--quiet', '--allow-empty', '--message', 'First')
  assert.equal(readCommit(root), git('rev-parse', 'HEAD').slice(0, 12))
  const installed = join(root, 'node_modules/mediamill')
  await mkdir(join(installed, 'dist'), { recursive: true })
  assert.equal(readCommit(installed), undefined)
  await writeFile(join(installed, 'dist/commit'), '0123456789abcdef0123456789abcdef01234567\n')
  assert.equal(readCommit(installed), '0123456789ab')
})

test('the program version has its commit even if another user owns the checkout', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'mediamill-version-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' })
  git('init', '--quiet')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '--message', 'First')
  const commit = git('rev-parse', 'HEAD').slice(0, 12)
  // With this variable, Git acts as if another user owned every repository.
  process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = '1'
  t.after(() => delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER)
  assert.throws(() => git('rev-parse', 'HEAD'), /dubious ownership/)
  assert.equal(readCommit(root), commit)
})

test('the program version is shown with its commit if the commit is known', () => {
  assert.equal(versionText({ version: '1.2.3', commit: 'fa0cb8f36939' }), '1.2.3 (fa0cb8f36939)')
  assert.equal(versionText({ version: '1.2.3', commit: undefined }), '1.2.3')
  assert.match(versionText(), new RegExp(`^${packageVersion().replaceAll('.', '\\.')}`))
})
