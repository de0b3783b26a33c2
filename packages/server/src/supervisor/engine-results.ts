import type { Stats } from 'node:fs'
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns the first reason to reject the result files. A malicious file may control the engine. Through a link, the
 * engine could publish another file.
 */
export function findBadResult(files: readonly { path: string; size: number }[], folder: string): string | undefined {
  for (const file of files) {
    // security check: a result outside the job folder
    if (dirname(file.path) !== folder || file.path.includes('\0')) return 'a result outside the job folder'
    const found = statOf(file.path)
    // security check: a missing result
    if (found === undefined) return 'a result file that does not exist'
    // security check: a link in place of a result
    if (!found.isFile()) return 'a result that is not a regular file'
    // security check: a hard link to another file of the service
    if (found.nlink !== 1) return 'a result file with a second hard link'
    // security check: a result of another size
    if (found.size !== file.size) return `a result of ${found.size} bytes that was reported as ${file.size}`
  }
  // security check: one file as two results
  if (new Set(files.map((file) => file.path)).size !== files.length) return 'one file named as two results'
  return undefined
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
