import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { InterruptedError } from '../usage-error.ts'

/** Asks for a secret without showing it. Reads it from what is piped in where nobody sits at a terminal. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim()
  // Nothing of what is typed is written.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const asked = createInterface({ input: process.stdin, output: silent, terminal: true })
  // Only now does the terminal show nothing of what is typed.
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      asked.once('line', (line) => resolve(line.trim()))
      asked.once('SIGINT', () => reject(new InterruptedError()))
      asked.once('close', () => reject(new InterruptedError()))
    })
  } finally {
    asked.close()
    process.stderr.write('\n')
  }
}
