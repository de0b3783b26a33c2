import { lchownSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { EngineLost } from './engine-process.ts'
import { maxFilesOf } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'

/** A job's folder in the hands of an engine process. */
export type Loan<Job extends AnyJob = AnyJob> = {
  /** The job with the paths that hold while the loan lasts. */
  job: Job
  /** Puts the folder back where it was, once; throws `EngineLost` when there is something else or nothing in its place. */
  takeBack(): void
  /** Returns the files of a reply with their paths after the loan. A path outside the folder is unchanged. */
  rename<File extends { path: string }>(files: File[]): File[]
}

/**
 * Moves a job's folder into the one folder that the engine can reach. `user` is whom its files must belong to there.
 *
 * At once, without the thread pool: a rename takes microseconds, and each hop there and back many times as much.
 */
export function lend<Job extends AnyJob>(job: Job, engineFolder: string, user: Isolation['user']): Loan<Job> {
  const lent = join(engineFolder, basename(job.scratch))
  const mostFiles = maxFilesOf(job)
  if (user !== undefined) giveTo(user, job.scratch, mostFiles)
  renameSync(job.scratch, lent)
  let isBack = false
  return {
    job: moved(job, lent),
    takeBack() {
      if (isBack) return
      isBack = true
      try {
        renameSync(lent, job.scratch)
        // A link in its place would lead the checks of its files, and their new owner, somewhere else.
        // wall: a link in place of the job folder
        if (!lstatSync(job.scratch).isDirectory()) throw new Error('no folder')
        if (user !== undefined)
          giveTo({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }, job.scratch, mostFiles)
      } catch (cause) {
        throw new EngineLost('the job folder is not what it was', { cause })
      }
    },
    rename: (files) =>
      files.map((file) =>
        dirname(file.path) === lent ? { ...file, path: join(job.scratch, basename(file.path)) } : file,
      ),
  }
}

function moved<Job extends AnyJob>(job: Job, scratch: string): Job {
  const place = <File extends { path: string }>(file: File): File => ({
    ...file,
    path: join(scratch, basename(file.path)),
  })
  return { ...job, scratch, ...(job.input && { input: place(job.input) }), assets: job.assets.map(place) }
}

/**
 * Changes the owner of a folder and its files. For a link, it changes the link and never its target, because an engine
 * may have created the link.
 */
function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string, mostFiles: number): void {
  lchownSync(folder, uid, gid)
  const names = readdirSync(folder)
  // wall: a job folder with files without end
  if (names.length > mostFiles) throw new Error(`${names.length} files in a job folder`)
  // wall: our rights over what a link points at
  for (const name of names) lchownSync(join(folder, name), uid, gid)
}
