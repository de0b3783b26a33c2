import { connect, Socket } from 'node:net'
import { withTimeout } from '../../lib/time/with-timeout.ts'
import { hostOf } from './places.ts'

/** How long a server may take to say what it is. One that takes longer counts as away. */
const LOOK_MS = 2_000

/** How long the others may still answer when one has said that it is the primary. */
const OTHERS_MS = 200

/** How often we look whether it is the primary still. */
const CHECK_MS = 2_000

/** One server, asked on a connection of its own. */
export type Look = {
  /** Resolves to the timeline that it writes; `undefined` when it takes no writes. It rejects as a connection does. */
  ask: () => Promise<number | undefined>
  end: () => Promise<void>
}

export type OpenLook = (address: string) => Look

/** One for all pools of a process: each of them needs the same answer. */
const primaries = new Map<string, Primary>()

/** Returns what finds the primary of these servers. Pools of the same servers share it. */
export function primaryOf(addresses: readonly string[], openLook: OpenLook): Primary {
  const name = addresses.join()
  const primary = primaries.get(name) ?? new Primary(addresses, openLook)
  primaries.set(name, primary)
  return primary
}

/**
 * Opens connections to the primary, and closes them when another server is it.
 *
 * The driver's own way does not serve: it takes a standby for writable, tries servers that refuse in a circle without
 * a pause, and hears nothing of a machine that is gone without a word (docs/decisions/0077).
 */
export class Primary {
  readonly #addresses: readonly string[]
  readonly #openLook: OpenLook
  readonly #looks = new Map<string, Look>()
  readonly #opened = new Map<Socket, string>()
  #search: Promise<string> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(addresses: readonly string[], openLook: OpenLook) {
    this.#addresses = addresses
    this.#openLook = openLook
  }

  /** Opens a connection to it. Where there is none now the socket breaks: the driver loses one that it does not get. */
  async open(): Promise<Socket> {
    this.#timer ??= setInterval(() => void this.#check(), CHECK_MS).unref()
    try {
      const address = await this.#find()
      const socket = dial(address)
      this.#opened.set(socket, address)
      return socket
    } catch (error) {
      const socket = new Socket()
      setImmediate(() => socket.destroy(error instanceof Error ? error : new Error(String(error))))
      return socket
    }
  }

  /** Connections that open at the same time look once. */
  #find(): Promise<string> {
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = undefined
    })
    return this.#search
  }

  async #searchAll(): Promise<string> {
    const found: { address: string; timeline: number }[] = []
    const each = this.#addresses.map(async (address) => {
      const timeline = await this.#ask(address)
      if (timeline === undefined) throw noPrimary()
      found.push({ address, timeline })
    })
    try {
      await Promise.any(each)
    } catch (error) {
      const reasons: unknown[] = error instanceof AggregateError ? error.errors : [error]
      throw reasons.find((reason) => !isNoPrimary(reason)) ?? noPrimary()
    }
    await withTimeout(Promise.allSettled(each), OTHERS_MS, () => undefined)
    // A server that was replaced, and started again as it was, still calls itself the primary: promotion begins a timeline.
    const [latest] = found.sort((one, other) => other.timeline - one.timeline)
    if (latest === undefined) throw noPrimary()
    return latest.address
  }

  async #ask(address: string): Promise<number | undefined> {
    const look = this.#looks.get(address) ?? this.#openLook(address)
    this.#looks.set(address, look)
    return await withTimeout(look.ask(), LOOK_MS, () => {
      // The connection of a machine that is gone would stay silent; the next look is on another.
      this.#looks.delete(address)
      void look.end()
      throw noPrimary()
    })
  }

  /** A machine that is gone closes nothing: whoever waits for its answer would do so for a quarter of an hour. */
  async #check(): Promise<void> {
    for (const socket of this.#opened.keys()) if (socket.destroyed) this.#opened.delete(socket)
    if (this.#opened.size === 0) return this.#search === undefined ? this.#rest() : undefined
    // While there is none at all, the one that was it may come back.
    const primary = await this.#find().catch(() => undefined)
    if (primary === undefined) return
    for (const [socket, address] of this.#opened) if (address !== primary) socket.destroy()
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const look of this.#looks.values()) void look.end()
    this.#looks.clear()
  }
}

function dial(address: string): Socket {
  const { port } = new URL(address)
  const host = hostOf(address)
  const socket = connect({ host, port: Number(port === '' ? 5432 : port) })
  // The driver reads the name that a certificate has to have from here.
  return Object.assign(socket, { host })
}

const NO_PRIMARY = 'NO_PRIMARY'

const noPrimary = () => Object.assign(new Error('none of the database servers takes writes'), { code: NO_PRIMARY })

const isNoPrimary = (error: unknown) => error instanceof Error && 'code' in error && error.code === NO_PRIMARY
