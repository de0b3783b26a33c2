import { join, parse } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'

export type NamedFile = { name?: string | undefined; format: string }

/** Returns paths such as `photo-small.webp` for the path `photo.jpg` and the output `small`. */
export function pathsWithNames(path: string, files: readonly NamedFile[]): string[] {
  const { dir, name, ext } = parse(path)
  // An extension that is not the format of any file is part of the name.
  const stem = files.some(({ format }) => ext === `.${format}`) ? name : `${name}${ext}`
  return files.map((file, index) => join(dir, `${stem}-${safe(file.name ?? String(index))}.${safe(file.format)}`))
}

/** Returns `17.webp` for a single file, or paths such as `17-small.webp` for several. */
export function pathsIn(folder: string, name: string, files: readonly NamedFile[]): string[] {
  const [only] = files
  if (files.length > 1 || only === undefined) return pathsWithNames(join(folder, name), files)
  return [join(folder, `${name}.${safe(only.format)}`)]
}

/** Returns a name from the service unchanged. Throws `OperatorError` if the name could lead to another folder. */
export function safe(part: string): string {
  if (/^[a-z0-9_-]{1,64}$/.test(part)) return part
  throw new OperatorError(`The service returned a file with the invalid name ${JSON.stringify(part)}.`)
}
