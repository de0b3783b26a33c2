import { importsOf } from './import-graph.ts'
import { lineAt, maskSource } from './source-text.ts'
import type { SourceFile, Violation } from './violation.ts'

/** The only files that may re-export other files (docs/architecture.md, section 3). */
const LISTS = [
  'packages/contract/src/operations/index.ts',
  'packages/contract/src/endpoints/index.ts',
  'packages/sdk/src/index.ts',
]

const READ_ENV = ['packages/server/src/config/config.ts', 'packages/sdk/src/environment.ts']

const EVERYTHING_DRAWER = /(?:^|\/)(?:(?:utils?|helpers?|common|shared|misc)(?:\/|\.ts$)|types\.ts$)/

const PROCESS_ENV = /\bprocess\s*\.\s*env\b|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/

type TextRule = { pattern: RegExp; what: string; allowed: string; exempt?: (path: string) => boolean }

const TEXT_RULES: readonly TextRule[] = [
  {
    pattern: /\bexport\s+default\b|\bas\s+default\b/,
    what: 'has a default export',
    allowed: 'use a named export',
  },
  {
    pattern: PROCESS_ENV,
    what: 'reads process.env',
    allowed: 'only packages/server/src/config/config.ts does: take the setting as an argument',
    exempt: (path) => READ_ENV.includes(path) || isTest(path),
  },
  {
    pattern: /\b(?:sql|tx|transaction)\s*(?:<[^`;()]*>\s*)?`|\b(?:sql|tx|transaction)\s*\.\s*unsafe\s*\(/,
    what: 'contains SQL',
    allowed: 'SQL belongs in packages/server/src/db or queue, with one exported function per statement',
    exempt: (path) => /^packages\/server\/src\/(?:db|queue)\//.test(path) || isTest(path),
  },
]

export function checkFile({ path, text }: SourceFile): Violation[] {
  const code = maskSource(text)
  const found: Violation[] = []
  const add = (line: number, what: string, allowed: string) => found.push({ file: path, line, what, allowed })

  if (EVERYTHING_DRAWER.test(path)) add(1, 'has a vague name', 'name it after its main export')
  if (/[A-Z_]/.test(path.replace(/^.*\//, ''))) add(1, 'is not kebab-case', 'files are named in kebab-case')
  if (!LISTS.includes(path) && isBarrel(path, code)) {
    add(1, 'only re-exports other files', `import from the file itself; the lists are ${LISTS.join(' and ')}`)
  }

  for (const { pattern, what, allowed, exempt } of TEXT_RULES) {
    const at = exempt?.(path) === true ? -1 : code.search(pattern)
    if (at !== -1) add(lineAt(text, at), what, allowed)
  }
  for (const { specifier, names, line } of isTest(path) ? [] : importsOf(path, text)) {
    if (/^(?:node:)?process$/.test(specifier) && path !== 'packages/server/src/config/config.ts') {
      add(
        line,
        `imports ${names} of process`,
        'process is a global variable, and only packages/server/src/config/config.ts reads its env',
      )
    }
  }
  return found
}

/** Returns whether a file is a test or a fixture. These files are not published, and may import any package. */
export const isTest = (path: string) => /(?:\.test|-fixture)\.ts$/.test(path)

function isBarrel(path: string, code: string): boolean {
  if (path.endsWith('/index.ts')) return true
  const reexport = /\bexport\s+(?:type\s+)?(?:\*(?:\s*as\s+[\w$]+)?\s*|\{[^{}]*\}\s*)from\s*(['"])\s*\1;?/g
  const statement = /\bimport\b[^'"]*(['"])\s*\1;?/g
  return reexport.test(code) && code.replace(reexport, '').replace(statement, '').trim() === ''
}
