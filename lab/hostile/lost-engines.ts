import type { DestinationStream } from 'pino'

/** An engine that ended during a job. Another engine may have completed the job. */
type LostEngine = { requestId: number | undefined; pid: number; jobs: number; reason: string; stderr: string }

/** Collects lost engines from the log. If another engine completed the job, only the log shows the loss. */
export class LostEngines implements DestinationStream {
  readonly all: LostEngine[] = []
  /** Messages of log lines that do not report a lost engine, without duplicates. */
  readonly others = new Set<string>()

  write(line: string): void {
    const { msg, request_id, pid, jobs, stderr, err } = JSON.parse(line)
    if (!String(msg).startsWith('engine lost')) {
      this.others.add(`${msg} ${err?.message ?? ''}`.trim())
      return
    }
    this.all.push({ requestId: request_id, pid, jobs, reason: err?.message ?? '', stderr: stderr ?? '' })
  }

  of(requestId: number): LostEngine[] {
    return this.all.filter((lost) => lost.requestId === requestId)
  }
}
