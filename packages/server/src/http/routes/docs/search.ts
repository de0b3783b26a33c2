import type { Documentation } from './pages.ts'
import type { LinkTarget } from './render.ts'
import { pathOf, render } from './render.ts'

type SearchEntry = { path: string; page: string; heading: string; text: string }

const SEARCHED = 600

export function searchIndex(documentation: Documentation, target: LinkTarget): SearchEntry[] {
  const searched = documentation.pages.filter(({ slug }) => !slug.startsWith('files/'))
  return searched.flatMap((page) => {
    const { headings } = render(page, documentation, target)
    const parts = partsOf(page.text)
    return headings.map(({ id, text, depth }, index) => ({
      path: `${pathOf(target, page.slug)}${depth === 1 ? '' : `#${id}`}`,
      page: page.title,
      heading: text,
      text: (parts[index] ?? '').slice(0, SEARCHED),
    }))
  })
}

/** Splits a page at its headings, and returns the parts without Markdown. Ignores `#` in code blocks. */
function partsOf(markdown: string): string[] {
  let fence: string | undefined
  const withoutCode = markdown.split('\n').map((line) => {
    if (fence === undefined) {
      fence = /^```+/.exec(line)?.[0]
      return line
    }
    if (line.startsWith(fence)) fence = undefined
    return line.startsWith('#') ? ` ${line}` : line
  })
  const parts = withoutCode
    .join('\n')
    .split(/^#{1,6} .*$/m)
    .slice(1)
  return parts.map((part) =>
    part
      .replaceAll(/[`*|[\]()#>-]+/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}
