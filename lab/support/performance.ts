import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The CPU time of a job on one server (`side`), in milliseconds: the median (`ms`), and the range (`from`, `to`).
 * `ratio` compares `ms` with the small server of lab/bench/baseline-server. `first` is the first round.
 */
type BaselineRow = { job: string; side: string; ms: number; from: number; to: number; ratio: number; first: number }
/** CPU times in milliseconds: in the service (`ms`) and in the program `tool`. `atMost` is the goal for `ratio`. */
type ToolRow = { job: string; ms: number; tool: string; toolMs: number; ratio: number; atMost: number }

/** The rates at which the service accepts and finishes requests of `accounts` busy accounts, and their goals. */
type BusyRow = {
  accounts: number
  acceptsPerSecond: number
  settlesPerSecond: number
  atLeast: { accepts: number; settles: number }
}

/** The content of `lab/bench/figures.json`: results of benchmarks, with the machine and the date. */
export type Figures = {
  measured: string
  machine: string
  baseline: BaselineRow[]
  tools: ToolRow[]
  busy: BusyRow[]
}

const KINDS: Readonly<Record<string, string>> = {
  noop: 'metadata of an image of one pixel',
  small10: 'ten small images to 320 px, 8 at once',
  img800: '12 megapixels to 800 px',
  thumb200: '12 megapixels to 200 px',
  resize_wm: '12 megapixels to 800 px, with a logo',
  image_read: 'metadata of an image of 12 megapixels',
  pdf_snapshot: 'page 1 of a PDF at 150 dpi',
  pdf_read: 'metadata of a PDF of 200 pages',
  pdf_watermark: 'logo on 200 pages of a PDF',
  video_read: 'metadata of a video',
  screenshot: 'frame of a video',
}

export function readFigures(root: string): Figures {
  return JSON.parse(readFileSync(join(root, 'lab/bench/figures.json'), 'utf8')) as Figures
}

const nameOf = (job: string) => KINDS[job] ?? job
const perSecond = (ms: number) => (ms === 0 ? 0 : 1000 / ms)
const shown = (value: number) => (value >= 100 ? String(Math.round(value)) : value.toFixed(value >= 10 ? 0 : 1))

/** Returns the jobs per second and core of each kind of job, fastest first. */
function rates({ baseline, tools }: Figures): { name: string; rate: number }[] {
  const ours = baseline.filter(({ side }) => side === 'ours, waited')
  return [...ours, ...tools]
    .map(({ job, ms }) => ({ name: nameOf(job), rate: perSecond(ms) }))
    .toSorted((a, b) => b.rate - a.rate)
}

function baselineTable({ baseline }: Figures): string {
  const of = (job: string, side: string) => baseline.find((row) => row.job === job && row.side === side)
  const jobs = [...new Set(baseline.map(({ job }) => job))]
  const rows = jobs.map((job) => {
    const [theirs, polled, waited] = ['by hand', 'ours, polled', 'ours, waited'].map((side) => of(job, side))
    const cell = (row: BaselineRow | undefined) =>
      row === undefined ? '–' : `${row.ms.toFixed(1)} | **${row.ratio.toFixed(2)}**`
    return `| ${nameOf(job)} | ${theirs?.ms.toFixed(1) ?? '–'} | ${cell(polled)} | ${cell(waited)} |`
  })
  const head = '| Job | by hand, ms | polled, ms | ÷ by hand | waited, ms | ÷ by hand |\n|---|---|---|---|---|---|'
  return [head, ...rows].join('\n')
}

function toolTable({ tools }: Figures): string {
  if (tools.length === 0) return 'Not measured yet on this machine.'
  const rows = tools.map(
    ({ job, ms, tool, toolMs, ratio }) =>
      `| ${nameOf(job)} | ${ms.toFixed(1)} | ${tool} | ${toolMs.toFixed(1)} | **${ratio.toFixed(2)}** |`,
  )
  return ['| Job | Mediamill, ms | tool | tool, ms | Mediamill ÷ tool |\n|---|---|---|---|---|', ...rows].join('\n')
}

function busyTable({ busy }: Figures): string {
  const rows = busy.map(
    ({ accounts, acceptsPerSecond, settlesPerSecond }) => `| ${accounts} | ${acceptsPerSecond} | ${settlesPerSecond} |`,
  )
  return ['| Accounts | requests accepted per second | requests settled per second |\n|---|---|---|', ...rows].join(
    '\n',
  )
}

function rateTable(figures: Figures): string {
  const rows = rates(figures).map(({ name, rate }) => `| ${name} | ${shown(rate)} |`)
  return ['| Job | jobs per second and core |\n|---|---|', ...rows].join('\n')
}

/** Updates the tables of the page. Each table is between two comments. */
export function withTables(page: string, figures: Figures): string {
  const where = ({ measured, machine }: Figures) => `Measured on ${measured}: ${machine}.`
  const tables = { where, 'by hand': baselineTable, tools: toolTable, busy: busyTable, rates: rateTable }
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [open, close] = [`<!-- figures: ${name} -->`, '<!-- end -->']
    const from = text.indexOf(open)
    const to = text.indexOf(close, from)
    if (from === -1 || to === -1) throw new Error(`docs/performance.md has no markers for the table ${name}`)
    return `${text.slice(0, from + open.length)}\n${table(figures)}\n${text.slice(to)}`
  }, page)
}

const [WIDTH, ROW, LEFT, TOP] = [720, 26, 290, 34]

export function drawChart(figures: Figures): string {
  const all = rates(figures)
  const most = Math.max(...all.map(({ rate }) => rate))
  const scale = (rate: number) => ((WIDTH - LEFT - 70) * rate) / most
  const bars = all.map(({ name, rate }, at) => {
    const y = TOP + at * ROW
    const width = Math.max(1, scale(rate)).toFixed(1)
    return `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>
<rect x="${LEFT}" y="${y + 2}" width="${width}" height="16" rx="2" fill="#2f7dd1"/>
<text x="${(LEFT + Number(width) + 6).toFixed(1)}" y="${y + 14}">${shown(rate)}</text>`
  })
  const height = TOP + all.length * ROW + 10
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="sans-serif" font-size="13" fill="#333">
<title>Jobs per second of one core, by kind</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-weight="bold">Jobs per second and core</text>
${bars.join('\n')}
</svg>
`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
