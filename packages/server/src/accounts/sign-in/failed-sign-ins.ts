import { insertAudit } from '../../db/accounts/audit.ts'
import type { Sql } from '../../db/connection/connect.ts'

/** The maximum number of clients that get their own audit row in a batch. The other clients share one row. */
const MAX_CLIENTS = 50

type Kind = 'link' | 'key'
type Counts = Record<Kind, number>

/** Writes failed sign-ins to the audit log in batches, one row per client, so that an attacker cannot flood the log. */
export class FailedSignIns {
  #clients = new Map<string, Counts>()
  #others: Counts = { link: 0, key: 0 }

  note(client: string, kind: Kind): void {
    const known = this.#clients.get(client)
    if (known === undefined && this.#clients.size >= MAX_CLIENTS) {
      this.#others[kind] += 1
      return
    }
    const counts = known ?? { link: 0, key: 0 }
    counts[kind] += 1
    this.#clients.set(client, counts)
  }

  async flush(sql: Sql): Promise<void> {
    const rows: [string | null, Counts][] = [...this.#clients]
    if (this.#others.link + this.#others.key > 0) rows.push([null, this.#others])
    this.#clients = new Map()
    this.#others = { link: 0, key: 0 }
    for (const [client, { link, key }] of rows) {
      await insertAudit(sql, {
        accountId: null,
        sessionId: null,
        actor: 'service',
        client,
        action: 'sign_in.failed',
        subject: null,
        detail: { links: link, keys: key },
      })
    }
  }
}
