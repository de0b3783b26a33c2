import type { Documentation, Page } from './pages.ts'
import type { Place } from './render.ts'
import { textAt } from './render.ts'

/** Parts of the menu that somebody who uses the service has no need of. */
const FOR_KEEPERS = new Set(['How it is built', 'Operate'])

/** Writes `llms.txt` (llmstxt.org). It says what the service is, shows a first call, and links to the pages. */
export function llmsText(documentation: Documentation, { baseUrl }: Place): string {
  const sections = documentation.menu.map(({ title, pages }) => {
    const lines = pages.flatMap(({ slug, title: name }) => {
      const page = documentation.page(slug)
      return page === undefined ? [] : [`- [${name}](${baseUrl}/docs/${slug || 'start'}.md): ${summaryOf(page)}`]
    })
    return `## ${FOR_KEEPERS.has(title) ? `Optional: ${title}` : title}\n${lines.join('\n')}`
  })
  return `# Mediamill
> A media processing service. Send the URL of an image, a video or a PDF with an ordered list of operations; it works in the
> background and answers a signed link to the result.

The first call: process an image, and wait for it.

\`\`\`sh
curl ${baseUrl}/v1/images/process -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\
  -d '{"source": "https://example.com/photo.jpg", "operations": [{"type": "orient"}, {"type": "resize", "width": 800, "height": 800}]}'
\`\`\`

The answer's \`status\` is \`succeeded\`, and \`result.files[0].url\` is the link; or \`queued\` or \`processing\`, and then
GET ${baseUrl}/v1/requests/{id} with the same \`Prefer\` waits on. A file without a URL is sent to POST ${baseUrl}/v1/uploads
(\`--data-binary @photo.jpg\`) first, and the answer's \`source\` stands for it. Keys that begin with \`svc_test_\` are free.
All operations: GET ${baseUrl}/v1/operations. OpenAPI: ${baseUrl}/v1/openapi.json. All pages in one: ${baseUrl}/llms-full.txt.

${sections.join('\n\n')}
`
}

/** The pages for those who use the service, one after the other. */
export function llmsFullText(documentation: Documentation, place: Place): string {
  const slugs = documentation.menu.filter(({ title }) => !FOR_KEEPERS.has(title)).flatMap(({ pages }) => pages)
  const pages = slugs.flatMap(({ slug }) => documentation.page(slug) ?? [])
  return pages.map((page) => textAt(page, place)).join('\n\n')
}

/** The first sentence below the heading of a page. */
function summaryOf({ text }: Page): string {
  const [, first = ''] = /^# .*\n+((?!```)[^\n#|][^]*?)(?:\n\n|$)/m.exec(text) ?? []
  const plain = first.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain
}
