import { createHash, randomUUID } from 'node:crypto'
import { canonical } from '@mediamill/sdk/src/batch/batch'
import { digestOf } from '../batch/digest.ts'
import type { Job } from '../batch/job.ts'
import { withOverlay } from '../batch/overlays.ts'
import type { Account } from './connect.ts'

/** The key that identifies a job, and digests of its files. It does not depend on the paths of results. */
export type JobKey = { key: string; file: string | undefined; overlays: readonly string[] }

/** Computes the key of a job. With `isFresh`, the key is random, so that no earlier result matches it. */
export async function jobKeyOf(job: Job, account: Account, isFresh: boolean): Promise<JobKey> {
  const file = job.source.kind === 'file' ? await digestOf(job.source.path) : undefined
  const overlays = await Promise.all(job.overlays.map(({ path }) => digestOf(path)))
  const parts = [
    account.url,
    account.apiKey,
    job.endpoint,
    file ?? (job.source.kind === 'url' ? job.source.url : ''),
    withDigests(job, overlays),
    isFresh ? randomUUID() : '',
  ]
  const key = `cli-${createHash('sha256').update(canonical(parts)).digest('hex').slice(0, 40)}`
  return { key, file, overlays }
}

function withDigests({ body, overlays }: Job, digests: readonly string[]): Record<string, unknown> {
  return overlays.reduce((changed, overlay, index) => withOverlay(changed, overlay, digests[index] ?? ''), body)
}
