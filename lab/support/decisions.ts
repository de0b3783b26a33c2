import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Writes the index of docs/decisions from the first lines of its pages. */
export function writeDecisionIndex(root: string): string {
  const folder = join(root, 'docs/decisions')
  const pages = globSync('[0-9]*.md', { cwd: folder }).sort()
  const rows = pages.map((page) => {
    const [heading = '', state = ''] = readFileSync(join(folder, page), 'utf8').split('\n')
    const title = heading.replace(/^# \d+\. /, '')
    return `| [${Number(basename(page).slice(0, 4))}](${page}) | ${title} | ${state.replace(/\.$/, '')} |`
  })
  return `# Decisions
Choices that close off others, one page each: what stood at the time, what was chosen, what was not, and what follows. A page is not
rewritten when the choice changes; a newer one says so and takes its place. \`node scripts/write-decisions.ts\` writes this index.

| | Decision | State |
| --- | --- | --- |
${rows.join('\n')}
`
}
