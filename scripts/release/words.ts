const UNRELEASED = '## [Unreleased]\n'

/** Adds an empty unreleased section. Throws if there are no changes, or if the version is already released. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (changelog.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md already has a section ${version}`)
  const [before, after] = changelog.split(UNRELEASED)
  if (before === undefined || after === undefined) throw new Error('CHANGELOG.md has no section "## [Unreleased]"')
  if (!/^- /m.test(after.split(/^## \[/m)[0] ?? '')) throw new Error('CHANGELOG.md has no unreleased change')
  return `${before}${UNRELEASED}\n## [${version}] - ${date}\n${after}`
}

export function notesOf(changelog: string): string {
  const parts = changelog.split(/^## \[(?!Unreleased)[^\n]*\n/m)
  if (parts[1] === undefined) throw new Error('CHANGELOG.md has no released section')
  return parts[1].trimStart()
}

/** Sets the versions of the package and of the project's packages in its dependencies. Keeps all other text. */
export function withVersion(text: string, version: string): string {
  const { version: old, name } = JSON.parse(text) as { version: string; name: string }
  const own = text
    .replace(`"version": "${old}"`, `"version": "${version}"`)
    .replaceAll(/("@mediamill\/[\w-]+": ")\d+\.\d+\.\d+(")/g, `$1${version}$2`)
  // A lock file contains the version of its own package twice: at its top, and in its list of packages.
  return own.replace(
    `"name": "${name}",\n      "version": "${old}"`,
    `"name": "${name}",\n      "version": "${version}"`,
  )
}
