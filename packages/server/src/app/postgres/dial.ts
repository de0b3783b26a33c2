import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'

export async function dial(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}

export async function isListening(path: string): Promise<boolean> {
  const socket = await dial(path)
  socket?.destroy()
  return socket !== undefined
}
