import { stripVTControlCharacters } from 'node:util'
import { formatDollars, microUsd, NO_MONEY } from '@mediamill/contract/domain/money'
import { formatBytes, formatCount } from '@mediamill/contract/lib/format-text'
import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'
import { describeWait } from '../terminal/describe-wait.ts'
import { describeFields, describeTable, quiet, strong, visible, writeOut } from '../terminal/output.ts'
import type { ProgressLines } from '../terminal/progress-lines.ts'
import { noProgressLines, showProgressLines } from '../terminal/progress-lines.ts'
import { presentError, reasonOf } from './reason.ts'
import type { Ended, Listener } from './run-batch.ts'

type ReportOptions = {
  json: boolean
  showsMetadata: boolean
  total: number
}

type Report = Listener & Disposable & { waited: (notice: WaitNotice) => void }

/** Prints results to stdout, and everything else to stderr. The price of a shared request appears once. */
export function openReport({ json, showsMetadata, total }: ReportOptions): Report {
  const lines: ProgressLines = json ? noProgressLines() : showProgressLines(process.stderr, total)
  let sum = NO_MONEY
  let isOver = false
  return {
    waited(notice) {
      const text = describeWait(notice)
      if (text !== undefined && !json) lines.writeAbove(() => process.stderr.write(`${text}\n`))
    },
    began: ({ input }) => lines.update(input.label, 'starting'),
    progressed: ({ input }, text) => lines.update(input.label, text),
    ended(ended) {
      const { label } = ended.planned.input
      const price = priceOf(ended)
      sum = microUsd(sum + (price.own ?? 0))
      if (ended.ok || total > 1) lines.end(label, summaryOf(ended, price.text))
      const text = json ? JSON.stringify(presentEnded(ended)) : outputOf(ended, showsMetadata, total)
      if (text !== undefined) lines.writeAbove(() => writeOut(`${text}\n`))
    },
    [Symbol.dispose]() {
      lines[Symbol.dispose]()
      if (!isOver && !json && total > 1 && sum > 0) process.stderr.write(`Total: ${formatDollars(sum)}\n`)
      isOver = true
    },
  }
}

export function describeFailures(failed: readonly Extract<Ended, { ok: false }>[]): string {
  const ordered = failed.toSorted((a, b) => a.planned.index - b.planned.index)
  const rows = ordered.map(({ planned, error }) => [visible(planned.input.label), visible(reasonOf(error))])
  // The styles were chosen for stdout, but this text goes to stderr.
  return stripVTControlCharacters(describeTable(['INPUT', 'REASON'], rows))
}

function presentEnded(ended: Ended): object {
  const { label } = ended.planned.input
  if (!ended.ok) return { input: label, ok: false, error: presentError(ended.error) }
  return {
    input: label,
    ok: true,
    file: ended.paths[0] ?? null,
    ...(ended.paths.length > 1 && { files: ended.paths }),
    reused: ended.isOld,
    data: ended.done?.data ?? null,
    request: ended.done?.request ?? null,
  }
}

/** Returns the text of a price. If several inputs share a request, only the first input has its own price. */
function priceOf(ended: Ended): { text: string; own?: number } {
  if (!ended.ok || ended.isOld || ended.done?.price === undefined) return { text: '' }
  const { price } = ended.done
  if (ended.sameAs !== undefined) return { text: `same content as ${ended.sameAs}, charged once` }
  if (ended.done.isEarlier === true) return { text: 'charged by an earlier run' }
  return { text: formatDollars(price), own: price }
}

function summaryOf(ended: Ended, price: string): string {
  if (!ended.ok) return reasonOf(ended.error)
  if (ended.isOld) return 'done before'
  return [sizeOf(ended.done?.data ?? {}), price].filter((part) => part !== '').join(', ') || 'done'
}

function sizeOf(data: Record<string, unknown>): string {
  const { width, height, format, size, page_count: pages } = data
  const box = typeof width === 'number' && typeof height === 'number' ? `${width}x${height}` : ''
  const count = typeof pages === 'number' ? formatCount(pages, 'page') : ''
  const bytes = typeof size === 'number' ? formatBytes(size) : ''
  return [box, count, typeof format === 'string' ? format : '', bytes].filter((part) => part !== '').join(' ')
}

function outputOf(ended: Ended, showsMetadata: boolean, total: number): string | undefined {
  if (!ended.ok) return undefined
  // A program that reads stdout needs the original path. A terminal needs an escaped path.
  if (!showsMetadata) {
    const lines = process.stdout.isTTY ? ended.paths.map(visible) : ended.paths
    return lines.length === 0 ? undefined : lines.join('\n')
  }
  const metadata = Object.entries(ended.done?.data ?? {}).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const text = describeFields(metadata)
  return total === 1
    ? text
    : `${strong(visible(ended.planned.input.label))}\n${text === '' ? quiet('no metadata') : text}`
}
