import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf, releaseChangelog, withVersion } from './release/words.ts'

// Makes a release: `npm run release -- 0.2.0` writes the version into every package, dates the unreleased section of the
// changelog, commits, and creates the tag v0.2.0. It pushes nothing. Its last line is the command that pushes the release.
// If Git's tag.gpgSign is true, the tag is signed. `--notes` prints the changelog section of the newest release.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(root, path), text)

const [asked = ''] = process.argv.slice(2)
if (asked === '--notes') {
  process.stdout.write(notesOf(read('CHANGELOG.md')))
} else if (/^\d+\.\d+\.\d+$/.test(asked)) {
  release(asked)
} else {
  process.stderr.write(
    'Add the new version, such as npm run release -- 0.2.0. To print the notes of the newest release, use --notes.\n',
  )
  process.exit(2)
}

function release(version: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  if (git('status', '--porcelain') !== '') fail('Commit or remove your changes first: git status lists them.')
  if (git('tag', '--list', `v${version}`) !== '') fail(`The tag v${version} exists already.`)
  const today = new Date().toISOString().slice(0, 10)
  write('CHANGELOG.md', releaseChangelog(read('CHANGELOG.md'), version, today))
  const packages = ['package.json', 'package-lock.json', ...globSync('packages/*/package.json', { cwd: root })]
  for (const path of packages) write(path, withVersion(read(path), version))
  execFileSync(process.execPath, [join(root, 'scripts/write-release.ts'), version])
  git('commit', '--quiet', '--all', '--message', `Change the version to ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Mediamill ${version}`)
  process.stdout.write(
    `${git('show', '--stat', '--oneline', 'HEAD')}\nTagged v${version}. To publish:\n  git push --follow-tags\n`,
  )
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
