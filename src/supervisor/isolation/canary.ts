/** An engine that tries what no engine may and tells what worked. Run inside the walls, once, before they are trusted. */
import { open } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { EngineJob, EngineReply } from '../../engines/protocol/messages.ts'

const send = (reply: EngineReply) => process.send?.(reply)

process.on('message', (job: EngineJob) => void tryAll(job))
process.on('disconnect', () => process.exit(0))
send({ type: 'ready' })

async function tryAll({ parameters, scratch, input }: EngineJob): Promise<void> {
  const { secret, neighbour, port } = parameters
  const workerPid = Number(parameters['workerPid'])
  const data = {
    folder: (await works(() => openFile(input.path, 'r'))) && (await works(() => openFile(join(scratch, 'own'), 'w'))),
    files: await works(() => openFile(String(secret), 'r')),
    neighbours:
      (await works(() => openFile(String(neighbour), 'r'))) || (await works(() => openFile(String(neighbour), 'a'))),
    network: await works(() => connect(Number(port))),
    processes:
      (await works(() => openFile(`/proc/${workerPid}/environ`, 'r'))) || (await works(() => signal(workerPid))),
  }
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

async function signal(pid: number): Promise<void> {
  process.kill(pid, 0)
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
