import { isSigned } from '../chaos/check-responses.ts'
import { noise } from '../support/images.ts'
import { until } from '../support/process.ts'
import type { Production } from './open.ts'

export type Calls = {
  done: number[]
  calls: () => number
  failures: string[]
  /** Waits until each client has completed a request that began after this call. Throws if an HTTP call failed. */
  serveSome: () => Promise<void>
  /** Stops downloads of earlier results, because the operator will retire the key that signed their links. */
  forgetLinks: () => void
  /** From now on, also sends files as forms. The release before the upgrade rejects forms. */
  sendForms: () => void
  /** From now on, sends only URLs, because the service deletes the file of a form after its request ends. */
  stopForms: () => void
  stop: () => Promise<void>
}

const CLIENTS = 3

const OLD_LINKS = 2

/** The sides of an image in a form, in pixels. The form exceeds the 64 KiB that a connection buffers. */
const FORM_SIDE = 160

type CallResponse = { status: number; body: { id: number; status: string; result?: { files: { url: string }[] } } }

export function startCalls({ url, account, source, receiver }: Production): Calls {
  const failures: string[] = []
  const done: number[] = []
  const links: string[] = []
  const rounds = Array.from({ length: CLIENTS }, () => 0)
  let calls = 0
  let isStopped = false
  let hasForms = false

  async function call(at: string, init: RequestInit, expected: number): Promise<Response> {
    calls += 1
    const begun = new Date().toISOString()
    const response = await fetch(at, { redirect: 'manual', ...init }).catch((error: unknown) => {
      throw new Error(`${begun} ${init.method ?? 'GET'} ${at}: no response`, { cause: error })
    })
    if (response.status !== expected)
      throw new Error(`${begun} ${init.method ?? 'GET'} ${at}: ${response.status} ${await response.text()}`)
    return response
  }

  const headers = { authorization: `Bearer ${account.liveKey}`, 'content-type': 'application/json' }

  const photo = noise(FORM_SIDE)

  async function formOf(fields: Record<string, string>): Promise<FormData> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('source', new Blob([new Uint8Array(await photo)]), 'photo.png')
    return form
  }

  async function processImage(isForm: boolean): Promise<string> {
    const operations = [{ type: 'grayscale' }]
    const webhook_url = receiver.url('/hook')
    const { authorization } = headers
    const sent = isForm
      ? { headers: { authorization }, body: await formOf({ operations: JSON.stringify(operations), webhook_url }) }
      : { headers, body: JSON.stringify({ source, operations, webhook_url }) }
    const accepted = await call(`${url}/v1/images/process`, { method: 'POST', ...sent }, 202)
    let request = (await accepted.json()) as CallResponse['body']
    while (request.status === 'queued' || request.status === 'processing') {
      const poll = { headers: { ...headers, prefer: 'wait=10' } }
      request = (await (await call(`${url}/v1/requests/${request.id}`, poll, 200)).json()) as CallResponse['body']
    }
    const link = request.result?.files[0]?.url
    if (request.status !== 'succeeded' || link === undefined)
      throw new Error(`request ${request.status}: ${JSON.stringify(request)}`)
    done.push(request.id)
    return link
  }

  async function download(link: string): Promise<void> {
    const redirect = await call(link, {}, 302)
    await redirect.arrayBuffer()
    // Open a new connection: s3rver closes idle connections after 5 s, which can break a call that is being sent.
    const file = await call(redirect.headers.get('location') ?? '', { headers: { connection: 'close' } }, 200)
    await file.arrayBuffer()
  }

  const clients = rounds.map(async (_, client) => {
    while (!isStopped && failures.length === 0) {
      try {
        const old = links.slice(0, OLD_LINKS)
        const link = await processImage(hasForms && (rounds[client] ?? 0) % 2 === 1)
        links.push(link)
        for (const each of [...old, link]) await download(each)
        await (await call(`${url}/v1/account`, { headers }, 200)).arrayBuffer()
        rounds[client] = (rounds[client] ?? 0) + 1
      } catch (error) {
        failures.push(describe(error))
      }
    }
  })

  return {
    done,
    calls: () => calls,
    failures,
    async serveSome() {
      const before = [...rounds]
      const isServed = () => rounds.every((count, client) => count >= (before[client] ?? 0) + 2)
      await until(() => isStopped || failures.length > 0 || isServed())
      if (failures.length > 0) throw new Error(failures.join('\n'))
    },
    forgetLinks: () => void links.splice(0),
    sendForms: () => void (hasForms = true),
    stopForms: () => void (hasForms = false),
    async stop() {
      isStopped = true
      await Promise.all(clients)
      const delivered = () =>
        new Set(
          receiver.received.map((post) => {
            const { id } = (JSON.parse(post.raw.toString()) as { data: { id: number } }).data
            if (!isSigned(account.webhookSecret, post))
              failures.push(`the webhook of request ${id} has a wrong signature`)
            return id
          }),
        )
      await until(() => failures.length > 0 || done.every((id) => delivered().has(id)))
    },
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${describe(error.cause)})` : ''
  return error.message + cause
}
