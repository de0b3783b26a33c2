import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { notesOf, releaseChangelog, withVersion } from '../../../scripts/release/words.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('a release dates the unreleased changes in the changelog, starts an empty section, and publishes only its own section', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n### Added\n- A thing.\n\n## [0.1.0] - 2026-01-01\n- The first.\n'
  const released = releaseChangelog(changelog, '0.2.0', '2026-11-22')
  assert.match(released, /## \[Unreleased\]\n\n## \[0\.2\.0\] - 2026-11-22\n### Added\n- A thing\.\n\n## \[0\.1\.0\]/)
  assert.equal(notesOf(released), '### Added\n- A thing.\n\n')
  assert.throws(() => releaseChangelog(released, '0.2.0', '2026-11-22'), /already has a section 0\.2\.0/)
  assert.throws(() => releaseChangelog(released, '0.3.0', '2026-11-22'), /has no unreleased change/)
})

test('a release publishes a container image only if a variable of the repository allows it, because of the license of FDK AAC', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as { jobs: Record<string, { if?: string }> }
  const pushing = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('build-push-action'))
  assert.deepEqual(
    pushing.map(([name, job]) => [name, job.if]),
    [['image', "vars.PUBLISH_IMAGE == 'true'"]],
  )
})

test('a release changes the version only in package.json and in two places of the lock file', () => {
  for (const [path, times] of [
    ['package.json', 1],
    ['package-lock.json', 2],
  ] as const) {
    const before = read(path)
    const after = withVersion(before, '9.8.7')
    const changed = after.split('\n').filter((line, index) => line !== before.split('\n')[index])
    assert.deepEqual(
      changed.map((line) => line.trim()),
      Array(times).fill('"version": "9.8.7",'),
      path,
    )
  }
})

test('all packages of a release depend on each other in exactly the version of the release', () => {
  const text =
    '{\n  "name": "@mediamill/cli",\n  "version": "0.1.0",\n  "dependencies": { "@mediamill/sdk": "0.1.0", "commander": "14.0.3" }\n}\n'
  assert.deepEqual(JSON.parse(withVersion(text, '0.2.0')), {
    name: '@mediamill/cli',
    version: '0.2.0',
    dependencies: { '@mediamill/sdk': '0.2.0', commander: '14.0.3' },
  })
})

test('npm run release changes the versions, dates the changelog, commits, and tags, and rejects a checkout with changes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-release-'))
  t.after(() => rm(folder, { recursive: true }))
  // A new repository, because this checkout may have changes.
  const paths = ['CHANGELOG.md', 'package.json', 'package-lock.json', 'scripts/release.ts', 'scripts/write-release.ts']
  const packages = globSync('packages/*/package.json', { cwd: root })
  const folders = ['scripts/release', 'packages/server/migrations', 'packages/server/test/releases.json']
  for (const path of [...paths, ...packages, ...folders])
    await cp(join(root, path), join(folder, path), { recursive: true })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Add everything')
  const release = (version: string) =>
    spawnSync(process.execPath, [join(folder, 'scripts/release.ts'), version], { encoding: 'utf8' })
  const made = release('7.8.9')
  assert.equal(made.status, 0, made.stderr)
  assert.equal(git('describe', '--exact-match'), 'v7.8.9')
  assert.equal(git('cat-file', '-t', 'v7.8.9'), 'tag')
  assert.equal(git('status', '--porcelain'), '')
  for (const path of ['package.json', ...packages])
    assert.equal(JSON.parse(git('show', `HEAD:${path}`)).version, '7.8.9', path)
  assert.match(git('show', 'HEAD:CHANGELOG.md'), /^## \[7\.8\.9\] - \d{4}-\d\d-\d\d$/m)
  assert.match(git('show', 'HEAD:packages/server/test/releases.json'), /"name": "7\.8\.9"/)
  assert.equal(release('7.8.9').stderr, 'The tag v7.8.9 exists already.\n')
  await writeFile(join(folder, 'new'), '')
  const rejected = release('7.9.0')
  assert.deepEqual(
    [rejected.status, rejected.stderr],
    [1, 'Commit or remove your changes first: git status lists them.\n'],
  )
})
