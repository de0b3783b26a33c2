import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
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
