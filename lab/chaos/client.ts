import { setTimeout as delay } from 'node:timers/promises'
import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Caller } from './caller.ts'
import { CALL_MS, isPassing } from './caller.ts'
import type { Destinations } from './destinations.ts'
import type { RequestPlan } from './request-plans.ts'
import type { SourceFiles } from './sources.ts'
import { deleteFile, formOf, sha256Of, uploadFile } from './uploader.ts'

export type Observation = {
  plan: RequestPlan
  source: string
  /** The request ids in the responses to all calls for this planned request. More than one id is a bug. */
  ids: Set<number>
  /** The final states that the client saw. More than one state is a bug. */
  finals: Set<string>
  wasAborted: boolean
  waits: ('final' | 'open' | 'lost')[]
  complaints: string[]
}

type ClientOptions = {
  /** The base URL for download links without a host, which some stores return. */
  home: string
  accounts: readonly NewAccount[]
  sources: (kind: string) => string
  files: SourceFiles
  destinations: Destinations
  webhookUrl: string
  expireUpload: (source: string) => Promise<void>
  /** Aborts when the trial is over. Then every wait ends. */
  signal: AbortSignal
}

const SMALL = [{ type: 'resize', width: 64, height: 64 }]
const WHOLE = [{ type: 'flip', horizontal: true }]

const POLL_MS = 500
/** The header of a long poll. The poll ends before the timeout of a call, so that some polls return an open request. */
const WAIT = { prefer: 'wait=6' }

export type Client = {
  run: (plan: RequestPlan) => Promise<Observation>
  repeat: (observation: Observation) => Promise<void>
}

/** Creates a client that retries as documented: with the same key, at another API server, after `Retry-After`. */
export function createClient(caller: Caller, options: ClientOptions): Client {
  const { accounts, signal } = options
  const keyOf = ({ account, live }: RequestPlan) =>
    (live ? accounts[account]?.liveKey : accounts[account]?.testKey) ?? ''

  async function bring(observation: Observation): Promise<void> {
    const { plan } = observation
    const { arrival: how, source } = plan
    observation.source = options.sources(source)
    if (how === 'url' || how === 'form' || source === 'slow' || source === 'missing') return
    const complain = (of: string) => void observation.complaints.push(of)
    observation.source = await uploadFile(caller, { bytes: options.files[source], how, key: keyOf(plan), complain })
  }

  async function submit(observation: Observation): Promise<number | undefined> {
    const { plan } = observation
    const { destination, source } = plan
    const fields = {
      ...(plan.endpoint === 'process' && { operations: plan.isNewer || plan.source === 'noise' ? WHOLE : SMALL }),
      ...(destination !== undefined && {
        output: { destination: { url: options.destinations.url(plan.number, destination) } },
      }),
      ...(plan.webhook && { webhook_url: options.webhookUrl }),
      metadata: { plan: String(plan.number) },
    }
    const sent =
      plan.arrival === 'form' && source !== 'slow' && source !== 'missing'
        ? formOf(options.files[source], fields)
        : { body: { source: observation.source, ...fields }, headers: {} }
    const headers = { ...sent.headers, 'idempotency-key': `plan-${plan.number}`, ...(plan.waits && WAIT) }
    const call = { key: keyOf(plan), body: sent.body, headers }
    const { status, body: request } = await hold(observation, 'POST', pathOf(plan), call)
    if (status === 202 || status === 200) {
      observation.ids.add(request.id)
      // With a multipart call, only the response contains the upload.
      observation.source = request.source
      return request.id
    }
    observation.complaints.push(`a call was rejected: ${status} ${JSON.stringify(request)}`)
    return undefined
  }

  async function hold(observation: Observation, method: string, path: string, sent: Parameters<Caller['once']>[2]) {
    for (;;) {
      const response = await caller.once(method, path, sent)
      if (response === undefined && observation.plan.waits) observation.waits.push('lost')
      // An API server of the older version rejects the newer operation. The next API server may support it.
      const isTooNew = observation.plan.isNewer === true && response?.status === 422
      if (response !== undefined && response.status < 500 && !isPassing(response) && !isTooNew) {
        const { status } = response.body
        if (isFinal(status)) observation.finals.add(status)
        if (observation.plan.waits && response.status < 300) observation.waits.push(isFinal(status) ? 'final' : 'open')
        return response
      }
      await caller.pause(response)
    }
  }

  async function follow(observation: Observation, id: number, key: string): Promise<void> {
    const headers = observation.plan.waits ? WAIT : {}
    for (;;) {
      const { body } = await hold(observation, 'GET', `/v1/requests/${id}`, { key, headers })
      if (isFinal(body.status)) {
        for (const file of body.result?.files ?? []) await fetchResult(observation, file, key)
        return
      }
      if (!observation.plan.waits) await delay(POLL_MS, undefined, { signal })
    }
  }

  /** Downloads a result. Requests a new link for each try, because links to the store expire after a minute. */
  async function fetchResult(
    observation: Observation,
    file: { url: string; sha256: string },
    key: string,
  ): Promise<void> {
    const { pathname, search } = new URL(file.url)
    for (;;) {
      const link = await caller.callUntilResponse('GET', pathname + search, { key })
      const location = link.headers.get('location')
      if (link.status !== 302 || location === null) {
        observation.complaints.push(`the link to a result returned ${link.status}`)
        return
      }
      const { status, bytes } = await read(new URL(location, options.home))
      if (status === 200 && sha256Of(bytes) !== file.sha256)
        observation.complaints.push('a downloaded result does not match its SHA-256')
      if (status >= 300 && status < 500) observation.complaints.push(`a result download returned ${status}`)
      if (status >= 200 && status < 500) return
      await delay(POLL_MS, undefined, { signal })
    }
  }

  /** Ends the upload of a request as planned. Complains if the service deletes the file before the request ends. */
  async function endUpload(observation: Observation, id: number, key: string): Promise<void> {
    const { plan, source } = observation
    if (plan.arrival === 'url' || plan.uploadEnds === 'kept') return
    if (plan.uploadEnds === 'expired') return await options.expireUpload(source)
    if ((await deleteFile(caller, source, key)) === 'in_use') return
    const { body } = await caller.callUntilResponse('GET', `/v1/requests/${id}`, { key })
    if (!isFinal(body.status))
      observation.complaints.push(`${source} was deleted while request ${id} was ${body.status}`)
  }

  async function unlessOver(observation: Observation, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) throw error
      observation.complaints.push(`plan ${observation.plan.number} timed out`)
    }
  }

  async function live(observation: Observation): Promise<void> {
    const { plan } = observation
    const key = keyOf(plan)
    await bring(observation)
    const calls = Array.from({ length: plan.isDoubled ? 2 : 1 }, () => submit(observation))
    const [id] = await Promise.all(calls)
    if (id === undefined) return
    await endUpload(observation, id, key)
    if (plan.abortAfterMs !== undefined) {
      await delay(plan.abortAfterMs, undefined, { signal })
      const { status } = await caller.callUntilResponse('POST', `/v1/requests/${id}/abort`, { key })
      observation.wasAborted = status === 200
    }
    if (plan.isFollowed) await follow(observation, id, key)
  }

  return {
    async run(plan) {
      const seen = { ids: new Set<number>(), finals: new Set<string>(), wasAborted: false, waits: [], complaints: [] }
      const observation: Observation = { plan, source: '', ...seen }
      await unlessOver(observation, () => live(observation))
      return observation
    },
    repeat: (observation) => unlessOver(observation, async () => void (await submit(observation))),
  }
}

const pathOf = ({ source, endpoint }: RequestPlan) => `/v1/${source === 'video' ? 'videos' : 'images'}/${endpoint}`

const isFinal = (status: unknown) => status === 'succeeded' || status === 'failed' || status === 'aborted'

async function read(url: URL): Promise<{ status: number; bytes: Buffer }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(CALL_MS) })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) }
  }
}
