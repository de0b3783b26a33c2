import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Input } from '../inputs/input.ts'
import { UsageError } from '../usage-error.ts'
import type { NamedFile } from './file-names.ts'
import { pathsWithNames, safe } from './file-names.ts'

export type Target =
  | { kind: 'stdout' }
  | { kind: 'file'; path: string }
  | { kind: 'folder'; path: string }
  | { kind: 'template'; text: string }
  | { kind: 'default'; folder: string }

const PARTS = ['name', 'output', 'ext', 'source_ext', 'dir', 'index'] as const

/** Parses `-o`. Default: `folder`, but stdout if the input is stdin and stdout is no terminal. Throws `UsageError`. */
export async function parseTarget(text: string | undefined, inputs: readonly Input[], folder = '.'): Promise<Target> {
  if (text === undefined) {
    const isPiped = inputs.length === 1 && inputs[0]?.kind === 'stdin' && !process.stdout.isTTY
    return isPiped ? { kind: 'stdout' } : { kind: 'default', folder }
  }
  if (text === '-') return onlyOne({ kind: 'stdout' }, text, inputs)
  const unknown = [...text.matchAll(/\{(\w*)\}/g)].find(([, part]) => !PARTS.some((known) => known === part))
  if (unknown !== undefined) {
    throw new UsageError(`-o ${text}: unknown placeholder ${unknown[0]}. Use {${PARTS.join('}, {')}}.`)
  }
  if (/\{\w+\}/.test(text)) return { kind: 'template', text }
  return (await isFolder(text)) ? { kind: 'folder', path: text } : onlyOne({ kind: 'file', path: text }, text, inputs)
}

export const isFolder = async (path: string): Promise<boolean> =>
  /[/\\]$/.test(path) || (await stat(path).catch(() => undefined))?.isDirectory() === true

function onlyOne(target: Target, text: string, inputs: readonly Input[]): Target {
  if (inputs.length === 1) return target
  const many = `cannot write ${inputs.length} results to one file`
  throw new UsageError(
    `-o ${text}: ${many}. Use a folder, such as ${text === '-' ? 'out' : text}/, or a path pattern, such as 'out/{name}.{ext}'.`,
  )
}

export function formatOfTarget(target: Target): string | undefined {
  if (target.kind !== 'file' && target.kind !== 'template') return undefined
  const ending = extname(target.kind === 'file' ? target.path : target.text.replaceAll('{ext}', '')).slice(1)
  const isKnown = ending !== '' && (target.kind === 'file' || !ending.includes('{'))
  return isKnown ? ending.toLowerCase() : undefined
}

/** Returns the format in the target's path. For several `files`, only a path pattern with `{output}` has a format. */
export function formatOfPaths(target: Target, files: number): string | undefined {
  return files === 1 || namesOutputs(target) ? formatOfTarget(target) : undefined
}

const namesOutputs = (target: Target) => target.kind === 'template' && target.text.includes('{output}')

/** Returns the paths of the results; none for stdout. For several files, adds the output's name: `photo-small.webp`. */
export function pathsOf(target: Target, input: Input, index: number, files: readonly NamedFile[]): string[] {
  const [first] = files
  if (first === undefined || target.kind === 'stdout') return []
  if (files.length === 1) return [pathOf(target, input, index, first)]
  if (namesOutputs(target)) return files.map((file) => pathOf(target, input, index, file))
  const base =
    target.kind === 'default'
      ? join(input.folder, `${input.name}.${first.format}`)
      : pathOf(target, input, index, first)
  return pathsWithNames(base, files)
}

function pathOf(target: Exclude<Target, { kind: 'stdout' }>, input: Input, index: number, file: NamedFile): string {
  if (target.kind === 'file') return target.path
  const format = safe(file.format)
  switch (target.kind) {
    case 'folder':
      return join(target.path, input.folder, `${input.name}.${format}`)
    case 'default':
      return join(target.folder, input.folder, `${input.name}-result.${format}`)
    case 'template': {
      const parts: Record<string, string> = {
        name: input.name,
        output: safe(file.name ?? '0'),
        ext: format,
        source_ext: input.ending,
        dir: input.folder === '' ? '.' : input.folder,
        index: String(index + 1),
      }
      return target.text.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')
    }
  }
}

export function checkNames(named: readonly { label: string; path: string }[]): void {
  const owners = new Map<string, string>()
  for (const { label, path } of named) {
    const owner = owners.get(path)
    if (owner !== undefined) {
      throw new UsageError(
        `${owner} and ${label} would both be saved as ${path}. Use different names, for example -o 'out/{name}-{source_ext}.{ext}'.`,
      )
    }
    owners.set(path, label)
  }
}
