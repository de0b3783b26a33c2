import { setTimeout as delay } from 'node:timers/promises'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Caller } from './caller.ts'
import { CALL_MS, isPassing } from './caller.ts'
import type { Destinations } from './destinations.ts'
import type { Intent } from './intents.ts'
import type { SourceFiles } from './sources.ts'
import { bringFile, deleteFile, formOf, sha256Of } from './uploader.ts'

/** A client's observations of one planned request. */
export type Story = {
  intent: Intent
  /** The value of `source`: a URL, or the id of an upload. */
  source: string
  /** Request ids in the responses to one planned request. More than one id is a bug. */
  ids: Set<number>
  /** Final states that the client saw. More than one state is a bug. */
  finals: Set<string>
  /** Whether the response to an abort was 200. */
  wasAborted: boolean
  /** Outcomes of long polls: the finished request, an open request, or no response. */
  waits: ('final' | 'open' | 'lost')[]
  /** Errors in downloaded files and in responses. */
  complaints: string[]
}

export type ClientOptions = {
  /** Some stores return download links without a host. This is the base URL for such links. */
  home: string
  accounts: readonly NewAccount[]
  sources: (kind: string) => string
  files: SourceFiles
  destinations: Destinations
  webhookUrl: string
  /** Makes an upload expire now. */
  expireUpload: (source: string) => Promise<void>
  /** Ends all waiting when the trial is over. */
  signal: AbortSignal
}

const SMALL = [{ type: 'resize', width: 64, height: 64 }]
/** Operations whose result has about the size of its source. */
const WHOLE = [{ type: 'flip', horizontal: true }]

const POLL_MS = 500
/** The long poll is shorter than the timeout of a call, so that some long polls return an open request. */
const WAIT = { prefer: 'wait=6' }

export type Client = { carry: (intent: Intent) => Promise<Story>; repeat: (story: Story) => Promise<void> }

/** Creates a client that retries as documented: with the same key, at another API server, after `Retry-After`. */
export function createClient(caller: Caller, options: ClientOptions): Client {
  const { accounts, signal } = options
  const keyOf = ({ account, live }: Intent) => (live ? accounts[account]?.liveKey : accounts[account]?.testKey) ?? ''

  async function bring(story: Story): Promise<void> {
    const { intent } = story
    const { arrival: how, source } = intent
    story.source = options.sources(source)
    if (how === 'url' || how === 'form' || source === 'slow' || source === 'missing') return
    const complain = (of: string) => void story.complaints.push(of)
    story.source = await bringFile(caller, { bytes: options.files[source], how, key: keyOf(intent), complain })
  }

  async function submit(story: Story): Promise<number | undefined> {
    const { intent } = story
    const { destination, source } = intent
    const fields = {
      ...(intent.endpoint === 'process' && { operations: intent.isNewer || intent.source === 'noise' ? WHOLE : SMALL }),
      ...(destination !== undefined && {
        output: { destination: { url: options.destinations.url(intent.number, destination) } },
      }),
      ...(intent.webhook && { webhook_url: options.webhookUrl }),
      metadata: { intent: String(intent.number) },
    }
    const sent =
      intent.arrival === 'form' && source !== 'slow' && source !== 'missing'
        ? formOf(options.files[source], fields)
        : { body: { source: story.source, ...fields }, headers: {} }
    const headers = { ...sent.headers, 'idempotency-key': `intent-${intent.number}`, ...(intent.waits && WAIT) }
    const call = { key: keyOf(intent), body: sent.body, headers }
    const { status, body: request } = await hold(story, 'POST', pathOf(intent), call)
    if (status === 202 || status === 200) {
      story.ids.add(request.id)
      // With a multipart call, only the response contains the upload.
      story.source = request.source
      return request.id
    }
    story.complaints.push(`a call was rejected: ${status} ${JSON.stringify(request)}`)
    return undefined
  }

  /** Sends a call, sometimes as a long poll. Retries until the response is final. */
  async function hold(story: Story, method: string, path: string, sent: Parameters<Caller['once']>[2]) {
    for (;;) {
      const response = await caller.once(method, path, sent)
      if (response === undefined && story.intent.waits) story.waits.push('lost')
      // An API server of the older version rejects the newer operation. The next API server may support it.
      const isTooNew = story.intent.isNewer === true && response?.status === 422
      if (response !== undefined && response.status < 500 && !isPassing(response) && !isTooNew) {
        const { status } = response.body
        if (isFinal(status)) story.finals.add(status)
        if (story.intent.waits && response.status < 300) story.waits.push(isFinal(status) ? 'final' : 'open')
        return response
      }
      await caller.pause(response)
    }
  }

  async function follow(story: Story, id: number, key: string): Promise<void> {
    const headers = story.intent.waits ? WAIT : {}
    for (;;) {
      const { body } = await hold(story, 'GET', `/v1/requests/${id}`, { key, headers })
      if (isFinal(body.status)) {
        for (const file of body.result?.files ?? []) await fetchResult(story, file, key)
        return
      }
      if (!story.intent.waits) await delay(POLL_MS, undefined, { signal })
    }
  }

  /**
   * Downloads a file, and retries until it succeeds. Requests a new link for each try, because links to the store
   * expire after a minute.
   */
  async function fetchResult(story: Story, file: { url: string; sha256: string }, key: string): Promise<void> {
    const { pathname, search } = new URL(file.url)
    for (;;) {
      const link = await caller.callUntilResponse('GET', pathname + search, { key })
      const location = link.headers.get('location')
      if (link.status !== 302 || location === null) {
        story.complaints.push(`the link to a result returned ${link.status}`)
        return
      }
      const { status, bytes } = await read(new URL(location, options.home))
      if (status === 200 && sha256Of(bytes) !== file.sha256)
        story.complaints.push('a downloaded result does not match its SHA-256')
      if (status >= 300 && status < 500) story.complaints.push(`a result download returned ${status}`)
      if (status >= 200 && status < 500) return
      await delay(POLL_MS, undefined, { signal })
    }
  }

  /** Deletes or expires an upload while its request is open. The service must keep the file until the request ends. */
  async function endUpload(story: Story, id: number, key: string): Promise<void> {
    const { intent, source } = story
    if (intent.arrival === 'url' || intent.uploadEnds === 'kept') return
    if (intent.uploadEnds === 'expired') return await options.expireUpload(source)
    if ((await deleteFile(caller, source, key)) === 'in_use') return
    const { body } = await caller.callUntilResponse('GET', `/v1/requests/${id}`, { key })
    if (!isFinal(body.status)) story.complaints.push(`${source} was deleted while request ${id} was ${body.status}`)
  }

  async function unlessOver(story: Story, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) throw error
      story.complaints.push(`intent ${story.intent.number} timed out`)
    }
  }

  async function live(story: Story): Promise<void> {
    const { intent } = story
    const key = keyOf(intent)
    await bring(story)
    const calls = Array.from({ length: intent.isDoubled ? 2 : 1 }, () => submit(story))
    const [id] = await Promise.all(calls)
    if (id === undefined) return
    await endUpload(story, id, key)
    if (intent.abortAfterMs !== undefined) {
      await delay(intent.abortAfterMs, undefined, { signal })
      const { status } = await caller.callUntilResponse('POST', `/v1/requests/${id}/abort`, { key })
      story.wasAborted = status === 200
    }
    if (intent.isFollowed) await follow(story, id, key)
  }

  return {
    async carry(intent) {
      const seen = { ids: new Set<number>(), finals: new Set<string>(), wasAborted: false, waits: [], complaints: [] }
      const story: Story = { intent, source: '', ...seen }
      await unlessOver(story, () => live(story))
      return story
    },
    repeat: (story) => unlessOver(story, async () => void (await submit(story))),
  }
}

const pathOf = ({ source, endpoint }: Intent) => `/v1/${source === 'video' ? 'videos' : 'images'}/${endpoint}`

const isFinal = (status: unknown) => status === 'succeeded' || status === 'failed' || status === 'aborted'

/** Downloads a file. Status 0 means no response. */
async function read(url: URL): Promise<{ status: number; bytes: Buffer }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(CALL_MS) })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) }
  }
}
