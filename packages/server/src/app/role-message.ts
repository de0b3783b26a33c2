/** A message from a role to the `serve` that started it. The channel's end tells the role that `serve` is gone. */
export type RoleMessage = { type: 'ready'; address?: string } | { type: 'failed'; message: string }

/** Tells the `serve` above, if there is one. Resolves when the message is on its way. */
export function tell(message: RoleMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, () => resolve())
  })
}
