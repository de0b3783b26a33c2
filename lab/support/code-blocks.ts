import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A code block of a page. `code` has no common indent. `before` is the page's text before the block. */
export type CodeBlock = { page: string; line: number; language: string; code: string; before: string }

const root = join(import.meta.dirname, '../..')

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs/*.md',
  'docs/{notes,operate,contributing,recipes}/*.md',
  'packages/*/*.md',
]

export function readCodeBlocks(): CodeBlock[] {
  return globSync(PAGES, { cwd: root })
    .toSorted()
    .flatMap((page) => blocksOf(page, readFileSync(join(root, page), 'utf8')))
}

function blocksOf(page: string, text: string): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(
    ({ 1: indent = '', 2: language = '', 3: code = '', index }) => {
      const before = text.slice(0, index)
      return {
        page,
        line: before.split('\n').length,
        language,
        code: indent === '' ? code : code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        before,
      }
    },
  )
}

/** The JSON body of a curl command. `path` is the URL's path below /v1. */
type SentBody = { path: string; body: unknown }

export function sentBodies(code: string): SentBody[] {
  const calls = code.replaceAll('\\\n', ' ').split(/(?=\bcurl )/)
  return calls.flatMap((call) => {
    const path = /^curl [^']*?\/?(?:v1|\$API)\/([a-z/]+)/.exec(call)?.[1]
    const text = / -d '((?:[^']|'"?\$\w+"?')*)'/.exec(call)?.[1]
    if (path === undefined || text === undefined) return []
    return [{ path, body: JSON.parse(text.replaceAll(/'"?\$\w+"?'/g, 'upload:upl_1')) }]
  })
}
