import http from 'node:http'
import https from 'node:https'
import type { CheckedUrl } from './guard/check-url.ts'

/** Idle connections close after this time. Most servers close them after 5 s. */
const IDLE_MS = 4_000
const IDLE_EACH = 4
const MAX_AGENTS = 128

export type OwnConnections = { agentFor: (target: CheckedUrl) => http.Agent }

/**
 * Keeps idle connections open for 4 s. A connection is reused only for the same account, host, and checked addresses.
 */
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
    // Moves the agent to the end of the map, so that the least recently used agent is dropped first.
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
    // Running calls continue. Their connections close after `IDLE_MS`, because this agent gets no more calls.
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}

function newAgent(secure: boolean): http.Agent {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_EACH }
  return secure ? keptAgent(new https.Agent(options)) : keptAgent(new http.Agent(options))
}

/** Resumes each socket that returns to the agent, because a body in tiny chunks may have paused it. */
function keptAgent(agent: http.Agent): http.Agent {
  const keep = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    socket.resume()
    return keep(socket)
  }
  return agent
}
