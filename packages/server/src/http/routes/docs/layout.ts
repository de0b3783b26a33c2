import { escapeHtml } from '../../escape-html.ts'
import type { Documentation, Page } from './pages.ts'
import type { Heading, LinkTarget, Rendered } from './render.ts'
import { consolePathOf, pathOf } from './render.ts'

export function layout(page: Page, rendered: Rendered, documentation: Documentation, target: LinkTarget): string {
  const at = (slug: string) => escapeHtml(pathOf(target, slug))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.slug === '' ? 'Mediamill' : `${page.title} · Mediamill`)}</title>
<link rel="stylesheet" href="${at('assets/docs.css')}">
<link rel="icon" href="${at('assets/icon.svg')}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${at(`${page.slug || 'start'}.md`)}">
<script src="${at('assets/docs.js')}" data-search="${at('search.json')}" data-docs="${at('')}" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${at('')}"><img src="${at('assets/icon.svg')}" alt="" width="24" height="24"> Mediamill <span>docs</span></a>
<div id="search" role="search"></div>
${target.hasConsole === true ? `<a class="to-console" href="${escapeHtml(consolePathOf(target))}">Console</a>` : ''}
<a class="to-menu" href="#menu">Menu</a>
</header>
<div class="columns">
<nav class="menu" id="menu" aria-label="Pages">${menuOf(page, documentation, target)}</nav>
<main id="text">
${rendered.html}
<footer><a href="${at(`${page.slug || 'start'}.md`)}">This page as Markdown</a></footer>
</main>
${contentsOf(rendered.headings)}
</div>
</body>
</html>
`
}

function menuOf(page: Page, documentation: Documentation, target: LinkTarget): string {
  return documentation.menu
    .map(({ title, pages }) => {
      const items = pages.map(({ slug, title }) => {
        const current = slug === page.slug ? ' aria-current="page"' : ''
        return `<li><a href="${escapeHtml(pathOf(target, slug))}"${current}>${escapeHtml(title)}</a></li>`
      })
      return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`
    })
    .join('\n')
}

function contentsOf(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 3) return ''
  const items = shown.map(({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`)
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}
