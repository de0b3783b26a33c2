import type { DestinationStream } from 'pino'

/** An engine process that ended in a job, or between two; the host may have had another one do the job. */
export type LostEngine = { requestId: number | undefined; pid: number; jobs: number; reason: string; stderr: string }

/** The log of a service at `warn`, read for the engines that it lost: a job that a second engine did shows nothing else. */
export class LostEngines implements DestinationStream {
  readonly all: LostEngine[] = []
  /** Other lines, each once. */
  readonly others = new Set<string>()

  write(line: string): void {
    const { msg, request_id, pid, jobs, stderr, err } = JSON.parse(line)
    if (!String(msg).startsWith('engine lost')) {
      this.others.add(`${msg} ${err?.message ?? ''}`.trim())
      return
    }
    this.all.push({ requestId: request_id, pid, jobs, reason: err?.message ?? '', stderr: stderr ?? '' })
  }

  /** The engines that a request cost. */
  of(requestId: number): LostEngine[] {
    return this.all.filter((lost) => lost.requestId === requestId)
  }
}
