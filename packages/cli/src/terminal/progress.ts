import { good, quiet, toTerminal, writeOut } from './output.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
const CLEAR_LINE = '\r\u001b[2K'

/**
 * The progress of one task: a moving line on a terminal, plain lines elsewhere. Disposing of it removes the line.
 */
export type Progress = Disposable & {
  /** Shows the progress. */
  say: (text: string) => void
  /** Replaces the progress with the result. */
  done: (text: string) => void
}

function showProgress(first: string): Progress {
  const startedAt = performance.now()
  const seconds = () => quiet(`${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  let text = first
  let frame = 0
  const draw = () => {
    process.stdout.write(CLEAR_LINE + toTerminal(`${FRAMES[frame % FRAMES.length]} ${text} ${seconds()}`))
    frame += 1
  }
  const moving = process.stdout.isTTY
  const timer = moving ? setInterval(draw, FRAME_MS).unref() : undefined
  if (moving) draw()
  else writeOut(`- ${text}\n`)
  const stop = () => {
    clearInterval(timer)
    if (moving) process.stdout.write(CLEAR_LINE)
  }
  let ended = false
  return {
    say(next) {
      if (next === text) return
      text = next
      if (!moving) writeOut(`- ${text}\n`)
    },
    done(last) {
      ended = true
      stop()
      writeOut(`${good('✔')} ${last} ${seconds()}\n`)
    },
    [Symbol.dispose]() {
      if (!ended) stop()
    },
  }
}

/** Returns a function that shows progress, or shows nothing if a program reads the output. */
export function progressOrSilence(json: boolean): (first: string) => Progress {
  const nothing = () => undefined
  return json ? () => ({ say: nothing, done: nothing, [Symbol.dispose]: nothing }) : showProgress
}
