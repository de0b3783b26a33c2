import type { MediaType } from '@mediamill/contract/domain/media'
import type { Outcome } from './process-file.ts'

/** A file of the corpus with its outcomes. `original` is a displayable copy in the report's folder. */
export type Entry = { name: string; media: MediaType; bytes: number; original: string | undefined; outcomes: Outcome[] }

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 100rem; padding: 0 1.5rem; }
h1 { font-weight: 600; } h2 { margin: 2.5rem 0 .25rem; font-size: 1.1rem; }
p { margin: 0 0 .75rem; opacity: .75; }
.row { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1rem; }
figure { margin: 0; border: 1px solid #8884; border-radius: .5rem; overflow: hidden; }
figure > a { display: block; background: repeating-conic-gradient(#bbb 0 25%, #eee 0 50%) 0 0 / 20px 20px; }
img, video { display: block; width: 100%; height: 15rem; object-fit: contain; }
figcaption { padding: .5rem .75rem; font-size: .85rem; } small { display: block; opacity: .7; }
.failed { padding: .75rem; } b { color: #d5202f; }
.video { display: block; } .video figure { margin-bottom: .75rem; }
.strip { width: auto; max-width: 100%; height: auto; }
`

/** Returns an HTML page with each file next to its results. Image links start with the path `folder`. */
export function renderReport(entries: readonly Entry[], folder: string): string {
  const failures = entries.flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome !== 'succeeded'))
  const requests = entries.reduce((sum, { outcomes }) => sum + outcomes.length, 0)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Corpus report</title><style>${STYLE}</style></head><body>
<h1>${entries.length} files, ${requests} requests, ${failures.length} not succeeded</h1>
${entries.map((entry) => renderEntry(entry, folder)).join('\n')}
</body></html>
`
}

function renderEntry({ name, media, bytes, original, outcomes }: Entry, folder: string): string {
  const [read] = outcomes
  const doubts = (read?.doubts ?? []).map((doubt) => `<p><b>${escape(doubt)}</b></p>`).join('')
  const metadata = Object.entries(read?.data ?? {}).map(([field, value]) => `${field} ${show(value)}`)
  const before = original === undefined ? '' : figure(`${folder}/${original}`, 'before', '')
  return `<h2>${escape(name)}</h2>
<p>${escape([media, `${bytes} bytes`, ...metadata].join(' · '))}</p>
${doubts}<div class="row ${media}">${before}${outcomes.map((outcome) => renderOutcome(outcome, folder)).join('')}</div>`
}

function renderOutcome(
  { trial, outcome, message, data, file, strip, doubts, milliseconds }: Outcome,
  folder: string,
): string {
  if (outcome === 'succeeded') {
    const size = data?.['width'] === undefined ? '' : `${show(data['width'])} × ${show(data['height'])} · `
    const detail = [`${size}${milliseconds} ms`, ...doubts].join(' · ')
    return file === undefined ? '' : figure(`${folder}/${file}`, trial, detail, strip && `${folder}/${strip}`)
  }
  return `<figure class="failed">${escape(trial)}<small><b>${escape(outcome)}</b> ${escape(message)}</small></figure>`
}

function figure(link: string, caption: string, detail: string, strip?: string): string {
  const href = escape(link)
  const still = strip ?? (link.endsWith('.strip.jpg') ? link : undefined)
  const shown =
    still !== undefined
      ? `<img class="strip" src="${escape(still)}" alt="" loading="lazy">`
      : link.endsWith('.mp4')
        ? `<video src="${href}" controls muted></video>`
        : link.endsWith('.pdf')
          ? `<object data="${href}"></object>`
          : `<img src="${href}" alt="" loading="lazy">`
  return `<figure><a href="${href}">${shown}</a><figcaption>${escape(caption)}<small>${escape(detail)}</small></figcaption></figure>`
}

const show = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

/** Returns the report as text: one line per file, with its errors below. */
export function renderTable(entries: readonly Entry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length), 4)
  return entries
    .map(({ name, outcomes }) => {
      const succeeded = outcomes.filter(({ outcome }) => outcome === 'succeeded').length
      const [read] = outcomes
      const { format = '', width: wide, height: high, frames } = read?.data ?? {}
      const metadata =
        wide === undefined
          ? ''
          : `${show(format)} ${show(wide)} × ${show(high)}${frames === undefined || frames === 1 ? '' : ` × ${show(frames)}`}`
      const failed = outcomes.filter(({ outcome }) => outcome !== 'succeeded')
      const lines = [
        ...failed.map(({ trial, outcome, message }) => `    ${trial}: ${outcome} ${message}`),
        ...outcomes.flatMap(({ trial, doubts }) => doubts.map((doubt) => `    ${trial}: ${doubt}`)),
      ]
      return [`${name.padEnd(width)}  ${succeeded} of ${outcomes.length}  ${metadata}`, ...lines].join('\n')
    })
    .join('\n')
}
