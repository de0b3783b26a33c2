import { lchownSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { EngineLost } from './engine-process.ts'
import { maxFilesOf } from './engine-watch.ts'
import type { Isolation } from './isolation/isolation.ts'

export type JobWorkspace<Job extends AnyJob = AnyJob> = {
  job: Job
  /** Takes the job's folder back from the engine. Throws `EngineLost` if the folder is missing, or not a folder. */
  takeBack(): void
  rename<File extends { path: string }>(files: File[]): File[]
}

export function openWorkspace<Job extends AnyJob>(
  job: Job,
  engineFolder: string,
  user: Isolation['user'],
): JobWorkspace<Job> {
  const lent = join(engineFolder, basename(job.scratch))
  const maxFiles = maxFilesOf(job)
  if (user !== undefined) changeOwner(user, job.scratch, maxFiles)
  renameSync(job.scratch, lent)
  let isBack = false
  return {
    job: moved(job, lent),
    takeBack() {
      if (isBack) return
      isBack = true
      try {
        renameSync(lent, job.scratch)
        // A link would lead the checks and the change of owner to other files.
        // security check: a link in place of the job folder
        if (!lstatSync(job.scratch).isDirectory()) throw new Error('the path of the job is not a folder')
        if (user !== undefined)
          changeOwner({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }, job.scratch, maxFiles)
      } catch (cause) {
        throw new EngineLost('the job folder was removed or replaced', { cause })
      }
    },
    rename: (files) =>
      files.map((file) =>
        dirname(file.path) === lent ? { ...file, path: join(job.scratch, basename(file.path)) } : file,
      ),
  }
}

function moved<Job extends AnyJob>(job: Job, scratch: string): Job {
  const inScratch = <File extends { path: string }>(file: File): File => ({
    ...file,
    path: join(scratch, basename(file.path)),
  })
  return { ...job, scratch, ...(job.input && { input: inScratch(job.input) }), assets: job.assets.map(inScratch) }
}

function changeOwner({ uid, gid }: { uid: number; gid: number }, folder: string, maxFiles: number): void {
  lchownSync(folder, uid, gid)
  const names = readdirSync(folder)
  // security check: a job folder with endless files
  if (names.length > maxFiles)
    throw new Error(`the folder of the job contains ${names.length} files, more than ${maxFiles}`)
  // security check: our rights over the target of a link
  for (const name of names) lchownSync(join(folder, name), uid, gid)
}
