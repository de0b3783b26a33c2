/** A message from an API server or worker to its parent process `serve`. The channel closes when `serve` ends. */
export type RoleMessage = { type: 'ready'; address?: string } | { type: 'failed'; message: string }

export function sendToServe(message: RoleMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, () => resolve())
  })
}
