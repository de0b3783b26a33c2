import type { Title } from './titles.ts'

const HEAD = `# Which tests hold which section
Written by \`scripts/write-guarantees.ts\` from the titles of the tests, which carry the sections that they hold in brackets:
\`[4.5, rulings 9]\`. Change a title and write this page anew; a test tells when it is stale. Which sentence of a section is
held by which file stands in [sentences.md](sentences.md).
`

/** Writes test/guarantees.md: every title under each section that it cites. */
export function writeGuarantees(titles: readonly Title[]): string {
  return [
    HEAD,
    ...partsOf('Interface', titles, ({ spec }) => spec),
    ...partsOf('Rulings', titles, ({ rulings }) => rulings),
  ].join('\n')
}

function partsOf(page: string, titles: readonly Title[], sectionsOf: (title: Title) => readonly string[]): string[] {
  const sections = [...new Set(titles.flatMap(sectionsOf))].toSorted(bySection)
  return sections.map((section) => {
    const held = titles.filter((title) => sectionsOf(title).includes(section))
    const files = [...new Set(held.map(({ file }) => file))]
    const lines = files.flatMap((file) => [
      `- \`${file}\``,
      ...held.filter((title) => title.file === file).map(({ text }) => `  - ${text}`),
    ])
    return [`## ${page} ${section}`, ...lines, ''].join('\n')
  })
}

/** Sorts `4.10` behind `4.9`. */
function bySection(one: string, other: string): number {
  const [chapter = 0, part = 0] = one.split('.').map(Number)
  const [otherChapter = 0, otherPart = 0] = other.split('.').map(Number)
  return chapter - otherChapter || part - otherPart
}
