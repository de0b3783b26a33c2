/** A test engine. It tries everything that the sandbox must prevent, and reports which attempts succeeded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import type { EngineJob, EngineReply } from '@mediamill/engines/protocol/messages'

const send = (reply: EngineReply) => process.send?.(reply)

process.on('message', (job: EngineJob) => void tryAll(job))
process.on('disconnect', () => process.exit(0))
// In a sandbox, this process may have the same id as the target. It ignores SIGHUP, so that it can still report.
process.on('SIGHUP', () => {})
send({ type: 'ready' })

async function tryAll({ parameters, scratch, input }: EngineJob): Promise<void> {
  const { secret, other, port, word } = parameters
  const pid = Number(parameters['target'])
  const data = {
    folder: (await works(() => openFile(input.path, 'r'))) && (await works(() => openFile(join(scratch, 'own'), 'w'))),
    files: await works(() => openFile(String(secret), 'r')),
    jobs: (await works(() => openFile(String(other), 'r'))) || (await works(() => openFile(String(other), 'a'))),
    network: await works(() => connect(Number(port))),
    processes: await works(() => readProcess(pid, String(word))),
    // The seccomp filter must forbid both calls.
    calls: (await works(startProcess)) || (await works(() => listenOn(join(scratch, 'socket')))),
  }
  // The target process reports whether this signal arrived.
  await works(() => process.kill(pid, 'SIGHUP'))
  send({ type: 'done', data, files: [], units: 1 })
}

async function works(attempt: () => unknown): Promise<boolean> {
  try {
    await attempt()
    return true
  } catch {
    return false
  }
}

async function openFile(path: string, flags: string): Promise<void> {
  const file = await open(path, flags)
  await file.close()
}

async function readProcess(pid: number, word: string): Promise<void> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
  if (!environment.includes(word)) throw new Error('the process id belongs to another process')
}

async function startProcess(): Promise<void> {
  await once(spawn(process.execPath, ['--version'], { stdio: 'ignore' }), 'spawn')
}

async function listenOn(path: string): Promise<void> {
  const server = createServer().listen(path)
  await once(server, 'listening')
  server.close()
}

function connect(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
  })
}
