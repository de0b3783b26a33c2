import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'

/** The folders that an agent may use. Excludes names that start with a dot, and links that lead out of a folder. */
export class Folders {
  readonly #roots: readonly string[]

  private constructor(roots: readonly string[]) {
    this.#roots = roots
  }

  static async open(folders: readonly string[]): Promise<Folders> {
    const roots = folders.map(async (folder) => {
      const found = await realpath(folder).catch(() => undefined)
      if (found === undefined) throw new OperatorError(`The folder ${folder} does not exist.`)
      return found
    })
    return new Folders(await Promise.all(roots))
  }

  /** Returns the real path of a file. Throws `OperatorError` if it does not exist or the agent may not read it. */
  async readable(path: string): Promise<string> {
    const found = await realpath(this.#resolve(path)).catch(() => undefined)
    if (found === undefined) throw new OperatorError(`The file ${path} does not exist.`)
    if (!this.#holds(found)) throw this.#outside(path)
    if (this.#isHidden(this.#resolve(path)) || this.#isHidden(found)) throw hidden(path)
    return found
  }

  async writable(path: string): Promise<string> {
    const resolved = this.#resolve(path)
    const folder = await realpath(dirname(resolved)).catch(() => undefined)
    if (folder === undefined) throw new OperatorError(`The folder ${dirname(path)} does not exist.`)
    const file = join(folder, basename(resolved))
    if (this.#roots.includes(file)) throw new OperatorError(`${path} is a folder: add a file name.`)
    if (!this.#holds(file)) throw this.#outside(path)
    if (this.#isHidden(resolved) || this.#isHidden(file)) throw hidden(path)
    return file
  }

  #resolve(path: string): string {
    return resolve(this.#roots[0] ?? '.', path)
  }

  #holds(file: string): boolean {
    return this.#roots.some((root) => isBelow(file, root))
  }

  #isHidden(file: string): boolean {
    const below = this.#roots.filter((root) => isBelow(file, root)).map((root) => relative(root, file))
    return below.some((path) => path.split(sep).some((name) => name.startsWith('.')))
  }

  #outside(path: string): OperatorError {
    return new OperatorError(`${path} is not in ${this.#roots.join(' or ')}: only files there may be read and written.`)
  }
}

const isBelow = (file: string, root: string) => file.startsWith(root.endsWith(sep) ? root : root + sep)

const hidden = (path: string) =>
  new OperatorError(`${path} is a dot file or in a dot folder, which are never read or written.`)
