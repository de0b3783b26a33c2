import { styleText } from 'node:util'
import { visible } from './output.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
const CLEAR_LINE = '\r\u001b[2K'
const UP = '\u001b[1A'

export type ProgressLines = Disposable & {
  update: (name: string, text: string) => void
  end: (name: string, text: string) => void
  /** Calls `write` so that its output appears above the progress lines. */
  writeAbove: (write: () => void) => void
}

export function showProgressLines(stream: NodeJS.WriteStream, total: number): ProgressLines {
  return stream.isTTY ? animatedLines(stream, total) : plainLines(stream, total)
}

export function noProgressLines(): ProgressLines {
  const nothing = () => undefined
  return { update: nothing, end: nothing, writeAbove: (write) => write(), [Symbol.dispose]: nothing }
}

function plainLines(stream: NodeJS.WriteStream, total: number): ProgressLines {
  let ended = 0
  return {
    update: () => undefined,
    end(name, text) {
      ended += 1
      stream.write(`${total > 1 ? `${ended}/${total} ` : ''}${visible(name)}: ${visible(text)}\n`)
    },
    writeAbove: (write) => write(),
    [Symbol.dispose]: () => undefined,
  }
}

function animatedLines(stream: NodeJS.WriteStream, total: number): ProgressLines {
  const lines = new Map<string, { text: string; since: number }>()
  let ended = 0
  let frame = 0
  let drawn = 0
  const clear = () => {
    if (drawn > 0) stream.write(`${CLEAR_LINE}${`${UP}${CLEAR_LINE}`.repeat(drawn - 1)}`)
    drawn = 0
  }
  const draw = () => {
    clear()
    const rows = Math.max(1, (stream.rows ?? 24) - 2)
    const shown = [...lines].slice(0, rows).map(([name, { text, since }]) => {
      const seconds = `${((performance.now() - since) / 1000).toFixed(0)} s`
      return fitted(
        `${FRAMES[frame % FRAMES.length]} ${visible(name)}: ${visible(text)} ${seconds}`,
        stream.columns ?? 80,
      )
    })
    if (total > 1) shown.push(fitted(`${ended} of ${total} done`, stream.columns ?? 80))
    stream.write(shown.join('\n'))
    drawn = shown.length
  }
  const timer = setInterval(() => {
    frame += 1
    draw()
  }, FRAME_MS).unref()
  const above = (write: () => void) => {
    clear()
    write()
    draw()
  }
  return {
    update: (name, text) => void lines.set(name, { text, since: lines.get(name)?.since ?? performance.now() }),
    end(name, text) {
      lines.delete(name)
      ended += 1
      above(() => stream.write(`${styleText('dim', `${visible(name)}: `, { stream })}${visible(text)}\n`))
    },
    writeAbove: above,
    [Symbol.dispose]() {
      clearInterval(timer)
      clear()
    },
  }
}

/** Cuts a line that is too long for the terminal, because a wrapped line cannot be cleared. */
const fitted = (text: string, columns: number) => (text.length < columns ? text : `${text.slice(0, columns - 2)}…`)
