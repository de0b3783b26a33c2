import { posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import type { Tokens } from 'marked'
import { Marked } from 'marked'
import { basePathOf } from '../../base-path.ts'
import { escapeHtml } from '../../escape-html.ts'
import type { Documentation, Page } from './pages.ts'
import { WRITTEN_ADDRESS } from './pages.ts'

export type Heading = { depth: number; text: string; id: string }

export type Rendered = { html: string; headings: Heading[] }

/** The target of links. `baseUrl`: the public URL without a trailing slash. `hasConsole`: whether the console is on. */
export type LinkTarget = { baseUrl: string; hasConsole?: boolean }

/** A table row with more characters than this does not fit on a phone. */
const LONG_ROW = 36

/** Matches the id of a rule, such as `requests.abort.1`. Its first occurrence on a page becomes the link target. */
const RULE_ID = /^[a-z]+\.[a-z_]+\.\d+$/

export const textAt = ({ text }: Page, { baseUrl }: LinkTarget): string => text.replaceAll(WRITTEN_ADDRESS, baseUrl)

export function pathOf({ baseUrl }: LinkTarget, slug: string): string {
  return `${basePathOf(baseUrl)}/docs${slug === '' ? '' : `/${slug}`}`
}

export const consolePathOf = ({ baseUrl }: LinkTarget): string => `${basePathOf(baseUrl)}/console/`

/** Renders a page. Escapes HTML in the Markdown, and removes comments. */
export function render(page: Page, documentation: Documentation, linkTarget: LinkTarget): Rendered {
  const slugger = new GithubSlugger()
  const headings: Heading[] = []
  const rules = new Set<string>()
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text }) => (/^\s*<!--[^]*-->\s*$/.test(text) ? '' : escapeHtml(text)),
      heading({ tokens, depth }: Tokens.Heading) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const id = slugger.slug(text)
        headings.push({ depth, text, id })
        const inner = this.parser.parseInline(tokens)
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`
      },
      codespan({ text }: Tokens.Codespan) {
        const code = `<code>${escapeHtml(text)}</code>`
        if (!RULE_ID.test(text) || rules.has(text)) return code
        rules.add(text)
        return `<a class="rule" id="${text}" href="#${text}">${code}</a>`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = linkOf(page, documentation, linkTarget, href)
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
      },
      image: ({ href, text }: Tokens.Image) =>
        `<img src="${escapeHtml(pathOf(linkTarget, posix.join(posix.dirname(page.file), href).replace(/^docs\//, '')))}" alt="${escapeHtml(text)}" loading="lazy">`,
      code: ({ text, lang = '' }: Tokens.Code) =>
        `<figure class="code"><pre tabindex="0"><code class="language-${escapeHtml(lang)}">${escapeHtml(text)}</code></pre></figure>\n`,
      table(token: Tokens.Table) {
        // On a phone, a row that is too long becomes a list, in which each cell has the name of its column.
        const widths = token.header.map(({ text }, column) =>
          Math.max(text.length, ...token.rows.map((row) => row[column]?.text.length ?? 0)),
        )
        const isLong = widths.reduce((sum, width) => sum + width, 0) > LONG_ROW
        const stacked = isLong && token.header.length > 2 && !token.header.some(({ text }) => text.includes('!['))
        const columns = token.header.map(({ text }) => (stacked ? escapeHtml(text.replaceAll('`', '')) : ''))
        const cell = ({ tokens }: Tokens.TableCell, tag: string, column = '') =>
          `<${tag}${column && ` data-column="${column}"`}>${this.parser.parseInline(tokens)}</${tag}>`
        const rows = token.rows
          .map(
            (row) => `<tr>${row.map((one, index) => cell(one, 'td', index === 0 ? '' : columns[index])).join('')}</tr>`,
          )
          .join('\n')
        // Renders an empty heading cell as `td`. Markdown requires the cell, but screen readers would announce a `th`.
        const named = token.header.map((one) => cell(one, one.text.trim() === '' ? 'td' : 'th')).join('')
        const head = token.header.every(({ text }) => text.trim() === '') ? '' : `<thead><tr>${named}</tr></thead>`
        return `<div class="table${stacked ? ' stacked' : ''}" tabindex="0"><table>${head}<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  return { html: marked.parse(textAt(page, linkTarget), { async: false }), headings }
}

function linkOf(page: Page, documentation: Documentation, target: LinkTarget, href: string): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [path = '', hash] = href.split('#')
  const slug = documentation.linked(page, path)
  return slug === undefined ? undefined : `${pathOf(target, slug)}${hash === undefined ? '' : `#${hash}`}`
}
