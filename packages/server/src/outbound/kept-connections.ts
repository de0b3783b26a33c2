import http from 'node:http'
import https from 'node:https'
import type { CheckedUrl } from './guard/check-url.ts'

/** How long an idle connection is kept. Most servers close an idle connection after 5 s. */
const IDLE_MS = 4_000
const IDLE_EACH = 4
const MAX_AGENTS = 128

export type OwnConnections = { agentFor: (target: CheckedUrl) => http.Agent }

/** Keeps connections. A connection is only reused by the same account for the same host and addresses. */
export class KeptConnections implements Disposable {
  readonly #agents = new Map<string, http.Agent>()

  of(accountId: number): OwnConnections {
    return { agentFor: (target) => this.#agentFor(accountId, target) }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  #agentFor(accountId: number, { url, addresses }: CheckedUrl): http.Agent {
    // security check: a kept connection of another account
    const owner = accountId
    // security check: a kept connection to a former address of a name
    const where = addresses.toSorted().join()
    const key = `${owner} ${url.secure} ${url.authority} ${url.exempt} ${where}`
    const agent = this.#agents.get(key) ?? newAgent(url.secure)
    // Moves the agent to the end, so that the least recently used agent is removed first.
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    this.#dropOldest()
    return agent
  }

  #dropOldest(): void {
    const [oldest] = this.#agents
    if (this.#agents.size <= MAX_AGENTS || oldest === undefined) return
    const [key, agent] = oldest
    this.#agents.delete(key)
    // Running calls continue. This agent gets no new calls, so their connections close after `IDLE_MS`.
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}

function newAgent(secure: boolean): http.Agent {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_EACH }
  return secure ? keptAgent(new https.Agent(options)) : keptAgent(new http.Agent(options))
}

/** Makes the agent resume the sockets that it keeps. A body in tiny chunks may have paused a socket. */
function keptAgent(agent: http.Agent): http.Agent {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    socket.resume()
    return keep(socket)
  }
  return agent
}
