import { posix } from 'node:path'
import { lineAt, maskSource } from './source-text.ts'

/** When an import loads: `value` and `reexport` at load time, `dynamic` at run time. `path` starts a process. */
type ImportKind = 'value' | 'type' | 'reexport' | 'dynamic' | 'path'

/** An import. In `specifier`, `*` replaces each `${…}` of a template literal. `target` is the imported file. */
export type Import = { kind: ImportKind; specifier: string; target: string | undefined; names: string; line: number }

const CLAUSE = String.raw`(?:[\w$]+\s*,?\s*)?(?:\*\s*as\s+[\w$]+\s*|\{[^{}]*\}\s*)?`

const FORMS: readonly { kind: ImportKind; pattern: RegExp }[] = [
  { kind: 'type', pattern: new RegExp(String.raw`\bimport\s+type\s+(${CLAUSE})from\s*(?=['"])`, 'g') },
  { kind: 'value', pattern: new RegExp(String.raw`\bimport\s+(?!type\s+[\w${'$'}{*])(${CLAUSE})from\s*(?=['"])`, 'g') },
  { kind: 'value', pattern: /\bimport\s*()(?=['"])/g },
  { kind: 'reexport', pattern: /\bexport\s+(?:type\s+)?(\*(?:\s*as\s+[\w$]+)?\s*|\{[^{}]*\}\s*)from\s*(?=['"])/g },
  /** Matches `import('x').Name`, which is a type, because no member of a promise starts with a capital letter. */
  { kind: 'type', pattern: /\bimport\s*\(\s*()(?=(['"])\s*\2\s*\)\s*\.\s*[A-Z])/g },
  { kind: 'dynamic', pattern: /\bimport\s*\(\s*()(?=(['"`])[^'"`]*\2)(?!(['"])\s*\3\s*\)\s*\.\s*[A-Z])/g },
  { kind: 'dynamic', pattern: /\brequire\s*\(\s*()(?=['"`])/g },
  { kind: 'path', pattern: /\bnew\s+URL\s*\(\s*()(?=['"`][^'"`]*['"`]\s*,\s*import\.meta\.url\b)/g },
  { kind: 'path', pattern: /\bimport\.meta\.resolve\s*\(\s*()(?=['"`])/g },
]

/** Returns the imports of a source file. `path` is relative to the project, with `/`. */
export function importsOf(path: string, text: string): Import[] {
  const code = maskSource(text)
  const found = FORMS.flatMap(({ kind, pattern }) =>
    [...code.matchAll(pattern)].map((match): Import => {
      const start = match.index + match[0].length + 1
      const written = text.slice(start, code.indexOf(text.charAt(start - 1), start))
      const specifier = written.replace(/\$\{[^}]*\}/g, '*')
      const isFile = specifier.startsWith('.') || (match[0].startsWith('new') && !/^\w+:/.test(specifier))
      const linked = linkedFile(specifier)
      return {
        kind,
        specifier,
        target: isFile ? posix.join(posix.dirname(path), specifier) : linked,
        names: match[1]?.trim() ?? '',
        line: lineAt(text, start),
      }
    }),
  )
  return found.toSorted((a, b) => a.line - b.line)
}

/** Resolves a workspace import to a file in the package's `src`, or anywhere in the lab. */
function linkedFile(specifier: string): string | undefined {
  const [, name = '', path = ''] = /^@mediamill\/([\w-]+)\/(.+)$/.exec(specifier) ?? []
  if (name === '') return undefined
  if (name === 'lab') return `lab/${path}.ts`
  return `packages/${name}/src/${path.replace(/^src\//, '')}.ts`
}

/** Returns the npm package that a specifier names, or `undefined` if the specifier names a file. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./]/.test(specifier)) return undefined
  if (specifier.startsWith('node:')) return specifier
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}
