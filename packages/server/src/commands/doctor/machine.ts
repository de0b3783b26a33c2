import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { MIN_FREE_BYTES } from '../../app/disk-space.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'

const GIB = 1024 ** 3

/** The minimum memory of a machine. An image engine may use 2 GiB, and the other processes need memory too. */
const MIN_MEMORY_BYTES = 2 * GIB

const DESCRIPTORS_PER_JOB = 16
const OWN_DESCRIPTORS = 192

/** The minimum memory per concurrent job. With less memory, the operating system would kill engines. */
const MEMORY_PER_JOB_BYTES = GIB / 4

const memoryHere = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

export function checkMachine(concurrency: number, memory = memoryHere()): Finding {
  const processors = availableParallelism()
  const message = `${processors} processors, ${formatBytes(memory)} of memory, ${concurrency} concurrent jobs`
  if (memory < MIN_MEMORY_BYTES) {
    const remedy = `Provide ${formatBytes(MIN_MEMORY_BYTES)} or more: large images and videos run out of memory.`
    return warning('machine', message, remedy)
  }
  if (concurrency > 4 * processors) {
    const remedy = `Set WORKER_CONCURRENCY to ${processors}: more jobs share the same processors, and each takes longer.`
    return warning('machine', message, remedy)
  }
  return good('machine', message)
}

export async function shortagesOf(concurrency: number): Promise<Extract<Finding, { remedy: string }>[]> {
  const found = [checkMachine(concurrency), await checkDescriptors(concurrency)]
  return found.flatMap((finding) => (finding === undefined || finding.verdict === 'good' ? [] : [finding]))
}

export async function fittingJobs(
  required: number,
  memory = memoryHere(),
  limits = '/proc/self/limits',
): Promise<number> {
  const files = (await allowedFiles(limits)) ?? Number.POSITIVE_INFINITY
  const fitting = [memory / MEMORY_PER_JOB_BYTES, (files - OWN_DESCRIPTORS) / DESCRIPTORS_PER_JOB].map(Math.floor)
  return Math.max(1, Math.min(required, ...fitting))
}

async function allowedFiles(limits: string): Promise<number | undefined> {
  const text = await readFile(limits, 'utf8').catch(() => '')
  const [, allowed] = /^Max open files\s+(\d+)/m.exec(text) ?? []
  return allowed === undefined ? undefined : Number(allowed)
}

export async function checkDescriptors(
  concurrency: number,
  limits = '/proc/self/limits',
): Promise<Finding | undefined> {
  const allowed = await allowedFiles(limits)
  if (allowed === undefined) return undefined
  const needed = OWN_DESCRIPTORS + DESCRIPTORS_PER_JOB * concurrency
  const message = `at most ${allowed} open files per process`
  if (allowed >= needed) return good('descriptors', message)
  return warning('descriptors', message, `Allow ${needed} or more (ulimit -n, or LimitNOFILE of systemd).`)
}

export async function checkDisk(dataDir: string): Promise<Finding> {
  const folder = await nearestFolder(dataDir)
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const message = `${formatBytes(free)} free for ${dataDir}`
  if (free < MIN_FREE_BYTES) {
    return fault(
      'disk',
      message,
      'Free some space, or set DATA_DIR to a larger disk. Workers start no jobs on a full disk.',
    )
  }
  if (free < 5 * GIB) {
    const remedy = 'Add disk space, or shorten RETENTION: a video can have 2 GB, and results are kept for days.'
    return warning('disk', message, remedy)
  }
  return good('disk', message)
}

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
