import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Verdict } from '../../../packages/sdk/test/suite.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Runs the suite in Chromium, on a page whose origin the service allows. */
export async function runInChromium(port: number, module: string, app: string): Promise<Verdict[]> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const verdicts = serveUntilPosted(server, module)
  const profile = `--user-data-dir=${join(app, 'chromium')}`
  const child = spawn('/usr/bin/chromium', [...FLAGS, profile, `http://127.0.0.1:${port}/`], { stdio: 'ignore' })
  try {
    return await Promise.race([
      verdicts,
      once(child, 'close').then(([code]) => {
        throw new Error(`Chromium ended with ${code}`)
      }),
    ])
  } finally {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    server.closeAllConnections()
    server.close()
  }
}

async function serveUntilPosted(server: Server, module: string): Promise<Verdict[]> {
  return await new Promise((resolve, reject) => {
    server.on('request', (call: IncomingMessage, response) => {
      if (call.method === 'POST') {
        call
          .setEncoding('utf8')
          .toArray()
          .then((parts) => resolve(JSON.parse(parts.join('')) as Verdict[]), reject)
        response.end()
      } else if (call.url === '/suite.mjs') {
        readFile(module).then(
          (text) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(text),
          reject,
        )
      } else {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<script type="module" src="/suite.mjs"></script>')
      }
    })
  })
}
