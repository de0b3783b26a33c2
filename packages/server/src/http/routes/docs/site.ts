import { layout } from './layout.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { assetFile, Documentation, openApiText } from './pages.ts'
import type { LinkTarget } from './render.ts'
import { pathOf, render, textAt } from './render.ts'
import { searchIndex } from './search.ts'

export type Site = ReturnType<typeof openSite>

/** Opens the documentation. Each function of the result renders its text again, so callers cache the texts. */
export function openSite(target: LinkTarget) {
  const documentation = new Documentation(target.hasConsole)
  return {
    slugs: documentation.pages.map(({ slug }) => slug),
    page(slug: string) {
      const page = documentation.page(slug)
      if (page === undefined) return undefined
      return {
        html: () => layout(page, render(page, documentation, target), documentation, target),
        markdown: () => textAt(page, target),
        markdownPath: `${pathOf(target, slug || 'start')}.md`,
      }
    },
    moved(slug: string, isMarkdown: boolean): string | undefined {
      const moved = documentation.moved(slug)
      return moved === undefined ? undefined : `${pathOf(target, moved)}${isMarkdown ? '.md' : ''}`
    },
    asset: assetFile,
    openApi: () => openApiText(target.baseUrl),
    search: () => JSON.stringify(searchIndex(documentation, target)),
    llms: () => llmsText(documentation, target),
    llmsFull: () => llmsFullText(documentation, target),
  }
}
