import { join, parse } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'

export type NamedFile = { name?: string | undefined; format: string }

/** Returns a path for each file of a result: `photo-small.webp` for the output `small` and the path `photo.jpg`. */
export function pathsBeside(path: string, files: readonly NamedFile[]): string[] {
  const { dir, name, ext } = parse(path)
  // If the extension is not a format of the files, it is part of the name.
  const stem = files.some(({ format }) => ext === `.${format}`) ? name : `${name}${ext}`
  return files.map((file, index) => join(dir, `${stem}-${safe(file.name ?? String(index))}.${safe(file.format)}`))
}

/** Returns a path for each file of a result in a folder: `17.webp`, or `17-small.webp` for one of several files. */
export function pathsIn(folder: string, name: string, files: readonly NamedFile[]): string[] {
  const [only] = files
  if (files.length > 1 || only === undefined) return pathsBeside(join(folder, name), files)
  return [join(folder, `${name}.${safe(only.format)}`)]
}

/** Checks a name or format from the service. Throws if it could change the folder. */
export function safe(part: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(part)) return part
  throw new OperatorError(`The service returned a file with the invalid name ${JSON.stringify(part)}.`)
}
