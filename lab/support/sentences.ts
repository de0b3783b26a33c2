/** A sentence or a table's row of the interface, with its section. */
export type Sentence = { section: string; text: string }

/** Returns what stands in sections 2 to 9: sentences of paragraphs, rows of tables without headings. */
export function sentencesOf(page: string): Sentence[] {
  const plain = page.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/^\[\^\d+\]: .*$/gm, '')
  return plain.split(/^#{2,3} (?=\d)/m).flatMap((part) => {
    const section = /^[2-9](\.\d+)?(?=\.? )/.exec(part)?.[0]
    if (section === undefined) return []
    const lines = part.split('\n').slice(1)
    const isRule = (line = '') => line.startsWith('| -')
    const rows = lines.filter((line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    const prose = lines.map((line) => (line.startsWith('|') ? '' : line.replace(/^\d\. /, '\n'))).join('\n')
    const sentences = prose
      .split(/\n\s*\n/)
      .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=[.:;](?:\[\^\d+\])*)\s+(?=[A-Z`*“(])/))
    return [...rows.map((row) => row.replace(/^[| ]+/, '')), ...sentences]
      .map((text) => ({ section, text: text.trim() }))
      .filter(({ text }) => text !== '')
  })
}
