/** A message of a role to the `serve` process that started it. If the channel closes, `serve` has ended. */
export type RoleMessage = { type: 'ready'; address?: string } | { type: 'failed'; message: string }

export function sendToServe(message: RoleMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, () => resolve())
  })
}
