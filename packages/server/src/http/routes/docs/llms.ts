import { endpointLines, operationLines } from './llms-calls.ts'
import type { Documentation, Page } from './pages.ts'
import type { LinkTarget } from './render.ts'
import { textAt } from './render.ts'

/** Sections for operators and contributors. `llms.txt` lists them as optional. `llms-full.txt` omits them. */
const OPERATOR_SECTIONS = new Set(['Contributing', 'Internals', 'Operate'])

/** Returns `llms.txt` (llmstxt.org). It contains a first call to copy, and the parameters of all calls. */
export function llmsText(documentation: Documentation, { baseUrl }: LinkTarget): string {
  const { menu } = documentation
  const listOf = (slugs: readonly { slug: string; title: string }[]) =>
    slugs
      .flatMap(({ slug, title }) => {
        const page = documentation.page(slug)
        return page === undefined ? [] : [`- [${title}](${baseUrl}/docs/${slug || 'start'}.md): ${summaryOf(page)}`]
      })
      .join('\n')
  const recipes = documentation.pages.filter(({ slug }) => slug.startsWith('recipes/'))
  const sections = menu
    .filter(({ title }) => !OPERATOR_SECTIONS.has(title))
    .map(({ title, pages }) => `## ${title}\n${listOf(title === 'Recipes' ? [...pages, ...recipes] : pages)}`)
  const optional = listOf(menu.filter(({ title }) => OPERATOR_SECTIONS.has(title)).flatMap(({ pages }) => pages))
  return `# Mediamill
> A media processing service. Send the URL of an image, a video, or a PDF with an ordered list of operations. It works in
> the background and returns a signed link to the result.

Copy this call and set \`MEDIAMILL_API_KEY\`. It makes an image and waits for it. The source is a sample of this service.

\`\`\`sh
curl -s ${baseUrl}/v1/images/process -H "Authorization: Bearer $MEDIAMILL_API_KEY" -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\
  -d '{"source": "${baseUrl}/docs/samples/photo.jpg", "operations": [{"type": "orient"}, {"type": "resize", "width": 800, "height": 800}], "output": {"format": "webp"}}'
\`\`\`

- Look at \`status\`. \`succeeded\`: \`result.files[0].url\` is a link to the file, which needs no key and redirects (\`curl -sLo photo.webp "$LINK"\`).
  \`queued\` or \`processing\`: GET ${baseUrl}/v1/requests/{id} with the same \`Prefer\` continues to wait. \`failed\`: \`error.message\` names the fix.
- \`source\` is a public http or https URL, the link of an earlier result, or an upload: send your own file to POST ${baseUrl}/v1/uploads
  (\`-T photo.jpg\`), and use the \`source\` of the response. The same values are valid for the \`image_url\` of a watermark.
- A text for a watermark: POST ${baseUrl}/v1/stamps with \`{"type": "text", "text": "© Jane Doe", "size": 40, "color": "ffffff", "opacity": 60}\`; its
  \`source\` is the \`image_url\`.
- Keys that begin with \`svc_test_\` are free. Keys that begin with \`svc_live_\` are charged. Ask the operator of the service for a key:
  the first start prints both kinds, and \`mediamill key create\` creates more.

Endpoints. Each accepts \`source\`, and optionally \`webhook_url\`, \`customer\`, and \`metadata\`:
${endpointLines()}

Operations, run in the order of the list, each \`{"type": NAME, …}\`. Positions are pixels from the top left corner. Colors are \`rrggbb\` or
\`rrggbbaa\` in hex:
${operationLines()}

For programs: OpenAPI at ${baseUrl}/v1/openapi.json, and tools of the Model Context Protocol at ${baseUrl}/mcp. All pages for users in
one file: ${baseUrl}/llms-full.txt.

${sections.join('\n\n')}

## Optional
${optional}
`
}

/** Returns all pages for users except the reference, which programs get as OpenAPI. */
export function llmsFullText(documentation: Documentation, target: LinkTarget): string {
  const slugs = documentation.menu.filter(({ title }) => !OPERATOR_SECTIONS.has(title)).flatMap(({ pages }) => pages)
  const pages = slugs.flatMap(({ slug }) => (slug === 'reference/calls' ? [] : (documentation.page(slug) ?? [])))
  return pages.map((page) => textAt(page, target)).join('\n\n')
}

function summaryOf({ text }: Page): string {
  const paragraphs = text.replaceAll(/^# .*\n/gm, '$&\n').split(/\n{2,}|\n(?=#)/)
  const first = paragraphs.find((paragraph) => /^[^#|`!<\s-]|^`[^`]/.test(paragraph)) ?? ''
  const plain = first.replaceAll('\n', ' ').replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, '$1')
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain
}
