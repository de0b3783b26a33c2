import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { LEAST_FREE_BYTES } from '../../app/disk-space.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'

const GIB = 1024 ** 3

/** An image engine may take 2 GiB (docs/operate/scaling.md), and something must be left for everyone else. */
const LEAST_MEMORY_BYTES = 2 * GIB

/** Below it a worker of many places runs out: each job holds a source, a result, pipes and connections. */
const DESCRIPTORS_A_PLACE = 16
const OWN_DESCRIPTORS = 192

/** What a job takes at the least, with its engine and its part of the worker; less, and the system ends engines at work. */
const MEMORY_A_PLACE_BYTES = GIB / 4

/** The memory of this machine, or of the container it is held to. */
const memoryHere = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

/** Judges processors and memory against the jobs that are to run at once. */
export function judgeMachine(concurrency: number, memory = memoryHere()): Finding {
  const processors = availableParallelism()
  const says = `${processors} processors, ${formatBytes(memory)} of memory, ${concurrency} jobs at once`
  if (memory < LEAST_MEMORY_BYTES) {
    const remedy = `Give it ${formatBytes(LEAST_MEMORY_BYTES)} or more: large pictures and videos end with "out of memory".`
    return warning('machine', says, remedy)
  }
  if (concurrency > 4 * processors) {
    const remedy = `Set WORKER_CONCURRENCY to ${processors}: more jobs share the same processors, and each takes longer.`
    return warning('machine', says, remedy)
  }
  return good('machine', says)
}

/** Lists what a worker has too little of, each with its way out. */
export async function shortagesOf(concurrency: number): Promise<Extract<Finding, { remedy: string }>[]> {
  const found = [judgeMachine(concurrency), await judgeDescriptors(concurrency)]
  return found.flatMap((finding) => (finding === undefined || finding.verdict === 'good' ? [] : [finding]))
}

/**
 * Gives how many of the wanted jobs a worker may run at once. Each needs memory and open files: with too little of either
 * engines are killed and sources cannot be opened, and requests fail that would have ended well one after the other.
 */
export async function fittingJobs(
  wanted: number,
  memory = memoryHere(),
  limits = '/proc/self/limits',
): Promise<number> {
  const files = (await allowedFiles(limits)) ?? Number.POSITIVE_INFINITY
  const fitting = [memory / MEMORY_A_PLACE_BYTES, (files - OWN_DESCRIPTORS) / DESCRIPTORS_A_PLACE].map(Math.floor)
  return Math.max(1, Math.min(wanted, ...fitting))
}

/** How many files this process may have open, where the system tells and sets a bound. */
async function allowedFiles(limits: string): Promise<number | undefined> {
  const text = await readFile(limits, 'utf8').catch(() => '')
  const [, allowed] = /^Max open files\s+(\d+)/m.exec(text) ?? []
  return allowed === undefined ? undefined : Number(allowed)
}

/** Judges how many files a process may have open. */
export async function judgeDescriptors(
  concurrency: number,
  limits = '/proc/self/limits',
): Promise<Finding | undefined> {
  const allowed = await allowedFiles(limits)
  if (allowed === undefined) return undefined
  const needed = OWN_DESCRIPTORS + DESCRIPTORS_A_PLACE * concurrency
  const says = `${allowed} open files allowed a process`
  if (allowed >= needed) return good('descriptors', says)
  return warning('descriptors', says, `Allow ${needed} or more (ulimit -n, or LimitNOFILE of systemd).`)
}

/** Judges the room for the database, sources and results. */
export async function judgeDisk(dataDir: string): Promise<Finding> {
  const folder = await nearestFolder(dataDir)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const says = `${formatBytes(free)} free for ${dataDir}`
  if (free < LEAST_FREE_BYTES) {
    return fault('disk', says, 'Free some room, or set DATA_DIR to a larger disk: workers take no job without any.')
  }
  if (free < 5 * GIB) {
    const remedy = 'Give it more room, or a shorter RETENTION: a video may be 2 GB, and results stay for days.'
    return warning('disk', says, remedy)
  }
  return good('disk', says)
}

/** The folder itself, or the nearest one above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    await statfs(folder)
    return folder
  } catch (error) {
    const above = dirname(folder)
    if (above === folder) throw error
    return await nearestFolder(above)
  }
}
