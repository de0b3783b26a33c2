/**
 * Records a release: `node_modules/.bin/node scripts/write-release.ts 0.2.0 [COMMIT]`.
 * From then on, the migration files of the release must never change. Tests check that every later version can upgrade
 * a database of this release.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Release } from './release/migrations.ts'
import { checksumOf, withRelease } from './release/migrations.ts'

const root = join(import.meta.dirname, '..')
const [name, commit = 'HEAD'] = process.argv.slice(2)
if (name === undefined) {
  process.stderr.write('Name the release, such as 0.2.0, and its commit unless it is HEAD.\n')
  process.exit(2)
}
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
const files = git('ls-tree', '--name-only', commit, 'packages/server/migrations/', 'migrations/')
  .split('\n')
  .filter((path) => path.endsWith('.sql'))
const migrations = Object.fromEntries(
  files.map((path) => [basename(path), checksumOf(git('show', `${commit}:${path}`))]),
)
const path = join(root, 'packages/server/test/releases.json')
const releases = JSON.parse(readFileSync(path, 'utf8')) as Release[]
const full = git('rev-parse', commit).trim()
writeFileSync(path, `${JSON.stringify(withRelease(releases, { name, commit: full, migrations }), undefined, 2)}\n`)
