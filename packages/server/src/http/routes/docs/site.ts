import { errorsMarkdown } from '../../description/errors-page.ts'
import { referenceMarkdown } from '../../description/reference-page.ts'
import { layout } from './layout.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { assetFile, Documentation } from './pages.ts'
import type { LinkTarget } from './render.ts'
import { pathOf, render, textAt } from './render.ts'
import { searchIndex } from './search.ts'

type SitePage = { html: () => string; markdown: () => string; markdownPath: string }

export class Site {
  readonly #documentation: Documentation
  readonly #target: LinkTarget

  constructor(target: LinkTarget) {
    this.#target = target
    this.#documentation = new Documentation([
      { slug: 'errors', text: errorsMarkdown() },
      { slug: 'reference/calls', text: referenceMarkdown(target.hasConsole === true) },
    ])
  }

  get slugs(): string[] {
    return this.#documentation.pages.map(({ slug }) => slug)
  }

  page(slug: string): SitePage | undefined {
    const page = this.#documentation.page(slug)
    if (page === undefined) return undefined
    const rendered = () => render(page, this.#documentation, this.#target)
    return {
      html: () => layout(page, rendered(), this.#documentation, this.#target),
      markdown: () => textAt(page, this.#target),
      markdownPath: `${pathOf(this.#target, slug || 'start')}.md`,
    }
  }

  moved(slug: string, isMarkdown: boolean): string | undefined {
    const moved = this.#documentation.moved(slug)
    return moved === undefined ? undefined : `${pathOf(this.#target, moved)}${isMarkdown ? '.md' : ''}`
  }

  asset(name: string): URL | undefined {
    return assetFile(name)
  }

  search(): string {
    return JSON.stringify(searchIndex(this.#documentation, this.#target))
  }

  llms(): string {
    return llmsText(this.#documentation, this.#target)
  }

  llmsFull(): string {
    return llmsFullText(this.#documentation, this.#target)
  }
}
