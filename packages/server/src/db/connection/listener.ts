import { escapeIdentifier } from 'pg'
import type { Client } from './client.ts'
import { isAway, withCode } from './errors.ts'

const RECONNECT_MS = 500

type Subscriber = {
  onNotice: (text: string) => void
  onListening: (() => void) | undefined
}

type Listening = { unlisten: () => Promise<void> }

export class Listener {
  readonly #open: () => Client
  readonly #channels = new Map<string, Set<Subscriber>>()
  #client: Promise<Client> | undefined
  #timer: NodeJS.Timeout | undefined
  #isEnded = false

  constructor(open: () => Client) {
    this.#open = open
  }

  async listen(channel: string, onNotice: Subscriber['onNotice'], onListening?: () => void): Promise<Listening> {
    const subscriber = { onNotice, onListening }
    const subscribers = this.#channels.get(channel) ?? new Set()
    this.#channels.set(channel, subscribers.add(subscriber))
    const before = this.#client
    try {
      if (before === undefined) await this.#connect()
      else {
        await (await before).query(`listen ${escapeIdentifier(channel)}`)
        onListening?.()
      }
    } catch (thrown) {
      const error = withCode(thrown)
      if (!isAway(error)) {
        await this.#remove(channel, subscriber)
        throw error
      }
    }
    return { unlisten: () => this.#remove(channel, subscriber) }
  }

  async end(): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#timer)
    const client = this.#open()
    client.once('end', () => this.#lose())
    client.on('notification', ({ channel, payload = '' }) => {
      for (const { onNotice } of this.#channels.get(channel) ?? []) onNotice(payload)
    })
    this.#client = client.connect().then(async () => {
      for (const channel of this.#channels.keys()) await client.query(`listen ${escapeIdentifier(channel)}`)
      return client
    })
    await this.#client.catch(async (error: unknown) => {
      await client.end()
      throw error
    })
    for (const subscribers of this.#channels.values()) for (const { onListening } of subscribers) onListening?.()
  }

  #lose(): void {
    this.#client = undefined
    if (this.#isEnded || this.#channels.size === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#connect().catch(() => undefined), RECONNECT_MS)
  }

  async #remove(channel: string, subscriber: Subscriber): Promise<void> {
    const subscribers = this.#channels.get(channel)
    subscribers?.delete(subscriber)
    if (subscribers?.size !== 0) return
    this.#channels.delete(channel)
    const client = await this.#client?.catch(() => undefined)
    await client?.query(`unlisten ${escapeIdentifier(channel)}`).catch(() => undefined)
  }
}
