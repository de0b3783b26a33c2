import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Input } from '../inputs/input.ts'
import { UsageError } from '../usage-error.ts'

/** The parsed `-o` option. */
export type Target =
  | { kind: 'stdout' }
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string }
  | { kind: 'template'; text: string }
  /** A new name in a folder. */
  | { kind: 'beside'; folder: string }

/** The placeholders of a template. */
const PARTS = ['name', 'ext', 'source_ext', 'dir', 'index'] as const

/**
 * Parses `-o`. Without `-o`, results get new names in `folder`.
 *
 * Throws `UsageError` if several results would use one file, or a placeholder is unknown.
 */
export async function parseTarget(text: string | undefined, inputs: readonly Input[], folder = '.'): Promise<Target> {
  if (text === undefined) {
    const isPiped = inputs.length === 1 && inputs[0]?.kind === 'stdin' && !process.stdout.isTTY
    return isPiped ? { kind: 'stdout' } : { kind: 'beside', folder }
  }
  if (text === '-') return onlyOne({ kind: 'stdout' }, text, inputs)
  const unknown = [...text.matchAll(/\{(\w*)\}/g)].find(([, part]) => !PARTS.some((known) => known === part))
  if (unknown !== undefined) {
    throw new UsageError(`-o ${text}: unknown placeholder ${unknown[0]}. Use {${PARTS.join('}, {')}}.`)
  }
  if (/\{\w+\}/.test(text)) return { kind: 'template', text }
  const isFolder = /[/\\]$/.test(text) || (await stat(text).catch(() => undefined))?.isDirectory() === true
  return isFolder ? { kind: 'folder', path: text } : onlyOne({ kind: 'file', path: text }, text, inputs)
}

function onlyOne(target: Target, text: string, inputs: readonly Input[]): Target {
  if (inputs.length === 1) return target
  const many = `cannot write ${inputs.length} results to one file`
  throw new UsageError(`-o ${text}: ${many}. Use a folder, such as ${text === '-' ? 'out' : text}/, or a template.`)
}

/** Returns the format of the target's extension; `undefined` without an extension. */
export function formatOfTarget(target: Target): string | undefined {
  if (target.kind !== 'file' && target.kind !== 'template') return undefined
  const ending = extname(
    target.kind === 'file' ? target.path : target.text.replaceAll('{ext}', '').replaceAll(/\{\w+\}/g, 'x'),
  ).slice(1)
  return ending === '' ? undefined : ending.toLowerCase()
}

/** Returns the path of a result; `undefined` for stdout. */
export function pathOf(target: Target, input: Input, index: number, format: string): string | undefined {
  switch (target.kind) {
    case 'stdout':
      return undefined
    case 'file':
      return target.path
    case 'folder':
      return join(target.path, input.folder, `${input.name}.${format}`)
    case 'beside':
      return join(target.folder, input.folder, `${input.name}-result.${format}`)
    case 'template': {
      const parts: Record<string, string> = {
        name: input.name,
        ext: format,
        source_ext: input.ending,
        dir: input.folder === '' ? '.' : input.folder,
        index: String(index + 1),
      }
      return target.text.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')
    }
  }
}

/** Throws `UsageError` if two results would have the same path. */
export function checkNames(named: readonly { label: string; path: string | undefined }[]): void {
  const owners = new Map<string, string>()
  for (const { label, path } of named) {
    if (path === undefined) continue
    const owner = owners.get(path)
    if (owner !== undefined) {
      throw new UsageError(
        `${owner} and ${label} would both be saved as ${path}. Use different names, for example -o 'out/{name}-{source_ext}.{ext}'.`,
      )
    }
    owners.set(path, label)
  }
}
