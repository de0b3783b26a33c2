import type { Stats } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { UsageError } from '../usage-error.ts'
import type { Input } from './input.ts'
import { isUrl } from './input.ts'
import { hasKnownFormat } from './media-of.ts'

/** The inputs of a command. `passedOver` counts the skipped files of unknown formats in folders. */
type Expanded = { inputs: Input[]; passedOver: number }

/**
 * Finds the inputs of a command: files, folders with their subfolders, globs, URLs, and `-` for stdin. Returns each
 * file once, in the order of the arguments, and the files of a folder by name. Folders and globs exclude names that
 * start with a dot. Folders also exclude unknown formats. Throws if a path does not exist, or if no file matches.
 */
export async function expandInputs(words: readonly string[], spool: () => Promise<string>): Promise<Expanded> {
  const inputs = new Map<string, Input>()
  let passedOver = 0
  const add = (input: Input, key: string) => void (inputs.has(key) || inputs.set(key, input))
  for (const word of words) {
    if (word === '-') add(await stdinInput(spool), word)
    else if (isUrl(word)) add(urlInput(word), word)
    else {
      const found = await stat(word).catch(() => undefined)
      if (found === undefined && isGlob(word)) {
        for (const path of await filesOf(word)) add(fileInput(path, baseOf(word)), resolve(path))
      } else if (found?.isDirectory() === true) {
        for (const path of await filesOf(join(escapeGlob(word), '**/*'))) {
          if (await hasKnownFormat(path)) add(fileInput(path, word), resolve(path))
          else passedOver += 1
        }
      } else if (found?.isFile() === true) add(fileInput(word, dirname(word)), resolve(word))
      else throw new OperatorError(reasonAgainst(word, found))
    }
  }
  if (inputs.size === 0) throw new UsageError(`${words.join(' ')}: no files found.`)
  return { inputs: [...inputs.values()], passedOver }
}

/** The character that Node.js writes for bytes of a file name that are not UTF-8. Such a name does not open the file. */
const UNDECODABLE = '\uFFFD'

/** Returns why a path cannot be an input. The command reads each input several times, which a pipe does not allow. */
function reasonAgainst(path: string, found: Stats | undefined): string {
  if (found === undefined && path.includes(UNDECODABLE)) return `${path} has a name that is not valid UTF-8. Rename it.`
  if (found === undefined) return `The file ${path} does not exist.`
  return found.isFIFO()
    ? `${path} is a pipe. Send its bytes to stdin, and use - as the input.`
    : `${path} is neither a file nor a folder.`
}

const isGlob = (word: string) => /[*?[{]/.test(word)

function baseOf(word: string): string {
  const parts = word.split('/')
  const first = parts.findIndex(isGlob)
  return parts.slice(0, first).join('/') || (word.startsWith('/') ? '/' : '.')
}

const escapeGlob = (path: string) => path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`)

async function filesOf(pattern: string): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(pattern)) {
    const isHidden = path.split(sep).some((part) => part.startsWith('.') && part !== '.' && part !== '..')
    if (isHidden) continue
    const stats = await stat(path).catch(() => undefined)
    if (stats === undefined && path.includes(UNDECODABLE)) throw new OperatorError(reasonAgainst(path, stats))
    if (stats?.isFile() === true) found.push(path)
  }
  return found.toSorted()
}

function fileInput(path: string, base: string): Input {
  const folder = relative(base, dirname(path))
  return { kind: 'file', label: path, path, ...nameOf(basename(path)), folder: folder.startsWith('..') ? '' : folder }
}

function urlInput(url: string): Input {
  let name: string
  try {
    name = decodeURIComponent(basename(new URL(url).pathname))
  } catch {
    throw new UsageError(`${url} is not a URL.`)
  }
  // A file name from a URL must contain no path, and no characters that hide its extension.
  const safe = name.replaceAll(/[/\\\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '_').replace(/^\.+/, '')
  return { kind: 'url', label: url, url, ...nameOf(safe === '' ? 'result' : safe), folder: '' }
}

async function stdinInput(spool: () => Promise<string>): Promise<Input> {
  return { kind: 'stdin', label: '-', path: await spool(), name: 'stdin', ending: '', folder: '' }
}

function nameOf(file: string): { name: string; ending: string } {
  const ending = extname(file)
  return { name: basename(file, ending), ending: ending.slice(1) }
}
