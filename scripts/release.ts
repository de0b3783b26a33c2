import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf, releaseChangelog, withVersion } from './release/words.ts'

// Prepares a release: `npm run release -- 0.2.0` writes the version into every package, and dates the unreleased
// section of the changelog. It commits, tags, and publishes nothing, but prints the commands for this at the end.
// `--notes` prints the changelog section of the newest release.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(root, path), text)

const [asked = ''] = process.argv.slice(2)
if (asked === '--notes') {
  process.stdout.write(notesOf(read('CHANGELOG.md')))
} else if (/^\d+\.\d+\.\d+$/.test(asked)) {
  const today = new Date().toISOString().slice(0, 10)
  write('CHANGELOG.md', releaseChangelog(read('CHANGELOG.md'), asked, today))
  const packages = ['package.json', 'package-lock.json', ...globSync('packages/*/package.json', { cwd: root })]
  for (const path of packages) write(path, withVersion(read(path), asked))
  execFileSync(process.execPath, [join(root, 'scripts/write-release.ts'), asked])
  process.stdout.write(
    `${packages.join(', ')} CHANGELOG.md and packages/server/test/releases.json now contain ${asked}. Read them, then:\n` +
      `  git add -A && git commit -m 'Release ${asked}' && git tag -s v${asked} -m 'Mediamill ${asked}' && git push --follow-tags\n`,
  )
} else {
  process.stderr.write('Name the new version, such as npm run release -- 0.2.0; --notes prints the newest release.\n')
  process.exit(2)
}
