import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { NewAccount } from '../../src/accounts/create-account.ts'
import type { Random } from '../../test/support/random.ts'
import type { Intent } from './intents.ts'

/** What a client saw of one intent. */
export type Story = {
  intent: Intent
  /** The ids that its calls were answered with: one, if all is well. */
  ids: Set<number>
  /** Final states that were seen: one at most. */
  finals: Set<string>
  /** Whether an abort was answered 200. */
  wasAborted: boolean
  /** What was wrong with a result that was fetched, or with an answer. */
  complaints: string[]
}

/** How calls were answered: by status, and `network` for those that were not. */
export type Tally = {
  answers: Map<string, number>
  /** When calls were answered with a fault of the service, in milliseconds of Unix time. */
  faults: number[]
}

export type ClientOptions = {
  urls: readonly string[]
  accounts: readonly NewAccount[]
  sources: (kind: string) => string
  webhookUrl: string
  random: Random
  tally: Tally
  /** Ends all waiting: the trial is over. */
  signal: AbortSignal
}

/** One call may hang so long before its client takes it for lost. */
const CALL_MS = 15_000
const PAUSE_MS = 250
const POLL_MS = 500

// The answer's body as JSON, which a client believes.
// oxlint-disable-next-line typescript/no-explicit-any -- a client of the interface knows no types either
type Answer = { status: number; headers: Headers; body: any }

export type Client = { carry: (intent: Intent) => Promise<Story>; repeat: (story: Story) => Promise<void> }

/** A good client: it repeats what failed, with the same Idempotency-Key, at another interface, when it is told to. */
export function createClient(options: ClientOptions): Client {
  const { urls, accounts, tally, signal } = options
  let turn = 0

  async function callOnce(method: string, path: string, key: string, body?: object, idempotency?: string) {
    const url = urls[turn++ % urls.length] ?? ''
    try {
      const response = await fetch(url + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(CALL_MS),
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(idempotency !== undefined && { 'idempotency-key': idempotency }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      count(String(response.status))
      if (response.status >= 500) tally.faults.push(Date.now())
      return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) } as Answer
    } catch (error) {
      count(error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'network')
      return undefined
    }
  }

  const count = (what: string) => tally.answers.set(what, (tally.answers.get(what) ?? 0) + 1)

  /** Repeats the call until it is answered for good. */
  async function call(method: string, path: string, key: string, body?: object, idempotency?: string): Promise<Answer> {
    for (;;) {
      const answer = await callOnce(method, path, key, body, idempotency)
      if (answer !== undefined && answer.status < 500 && !isPassing(answer)) return answer
      const told = Number(answer?.headers.get('retry-after') ?? 0) * 1_000
      await delay(Math.max(told, PAUSE_MS * (0.5 + Math.random())), undefined, { signal })
    }
  }

  const isPassing = ({ status, body }: Answer) =>
    status === 429 || (status === 409 && body.error?.code === 'idempotency_key_in_use')

  async function submit(story: Story): Promise<number | undefined> {
    const { intent } = story
    const account = accounts[intent.account]
    const body = {
      source: options.sources(intent.source),
      ...(intent.endpoint === 'process' && { operations: [{ type: 'resize', width: 64, height: 64 }] }),
      ...(intent.webhook && { webhook_url: options.webhookUrl }),
      metadata: { intent: String(intent.number) },
    }
    const key = (intent.live ? account?.liveKey : account?.testKey) ?? ''
    const { status, body: request } = await call('POST', `/v1/images/${intent.endpoint}`, key, body, keyOf(intent))
    if (status === 202 || status === 200) {
      story.ids.add(request.id)
      return request.id
    }
    story.complaints.push(`a call was refused: ${status} ${JSON.stringify(request)}`)
    return undefined
  }

  async function follow(story: Story, id: number, key: string): Promise<void> {
    for (;;) {
      const { body } = await call('GET', `/v1/requests/${id}`, key)
      if (body.status !== 'queued' && body.status !== 'processing') {
        story.finals.add(body.status)
        for (const file of body.result?.files ?? []) await fetchResult(story, file, key)
        return
      }
      await delay(POLL_MS, undefined, { signal })
    }
  }

  /** Asks for the link and for the file behind it until it has the bytes: links to the store are good for a minute. */
  async function fetchResult(story: Story, file: { url: string; sha256: string }, key: string): Promise<void> {
    const { pathname, search } = new URL(file.url)
    for (;;) {
      const link = await call('GET', pathname + search, key)
      const location = link.headers.get('location')
      if (link.status !== 302 || location === null) {
        story.complaints.push(`the link of a result was answered ${link.status}`)
        return
      }
      const { status, bytes } = await read(new URL(location, urls[0]))
      if (status === 200 && sha256Of(bytes) !== file.sha256) story.complaints.push('a result has other bytes')
      if (status >= 300 && status < 500) story.complaints.push(`a result was answered ${status}`)
      if (status >= 200 && status < 500) return
      await delay(POLL_MS, undefined, { signal })
    }
  }

  async function unlessOver(story: Story, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) throw error
      story.complaints.push(`intent ${story.intent.number} was given up: it waited for too long`)
    }
  }

  async function live(story: Story): Promise<void> {
    const { intent } = story
    const key = accounts[intent.account]?.liveKey ?? ''
    const calls = Array.from({ length: intent.isDoubled ? urls.length : 1 }, () => submit(story))
    const [id] = await Promise.all(calls)
    if (id === undefined) return
    if (intent.abortAfterMs !== undefined) {
      await delay(intent.abortAfterMs, undefined, { signal })
      const { status } = await call('POST', `/v1/requests/${id}/abort`, key)
      story.wasAborted = status === 200
    }
    if (intent.isFollowed) await follow(story, id, key)
  }

  return {
    async carry(intent) {
      const story: Story = { intent, ids: new Set(), finals: new Set(), wasAborted: false, complaints: [] }
      await unlessOver(story, () => live(story))
      return story
    },
    repeat: (story) => unlessOver(story, async () => void (await submit(story))),
  }
}

/** A file by its address; status 0 when there was no answer. */
async function read(url: URL): Promise<{ status: number; bytes: Buffer }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(CALL_MS) })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) }
  }
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const keyOf = (intent: Intent) => `intent-${intent.number}`
