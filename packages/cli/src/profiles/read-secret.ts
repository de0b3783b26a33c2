import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InterruptedError } from '../usage-error.ts'

/** Prompts for a secret without showing it. If stdin is not a terminal, reads the secret from stdin. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  // Print the prompt only now: the terminal no longer shows typed characters.
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', (line) => resolve(line.trim()))
      lines.once('SIGINT', () => reject(new InterruptedError()))
      lines.once('close', () => reject(new InterruptedError()))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
