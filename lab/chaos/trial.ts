import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { retryUntilAvailable } from '@mediamill/server/db/connection/await-database'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { startHaProxy } from '../support/haproxy.ts'
import { createRandom } from '../support/random.ts'
import type { Received } from '../support/receiver.ts'
import type { Readiness } from './bad-store.ts'
import { checkStoreFaults, runBadStore, withLargeFiles } from './bad-store.ts'
import type { Tally } from './caller.ts'
import { createCaller } from './caller.ts'
import { checkResponses, isSigned, isThroughProxy } from './check-responses.ts'
import { checkDestinations, checkWaits } from './check-uploads.ts'
import type { Client, Observation } from './client.ts'
import { createClient } from './client.ts'
import { jump, openClocks } from './clocks.ts'
import type { Disruption } from './disrupt.ts'
import { disrupt } from './disrupt.ts'
import type { Environment, EnvironmentOptions } from './environment.ts'
import { openEnvironment } from './environment.ts'
import type { Recovery } from './fail-over.ts'
import { checkRecoveries, failOverAgain } from './fail-over.ts'
import { checkLedger, checkRemains, checkStore } from './final-state.ts'
import type { Fleet } from './fleet.ts'
import { MAIN, startFleet } from './fleet.ts'
import type { GuaranteeResult } from './guarantees.ts'
import { checkGuarantees } from './guarantees.ts'
import type { History } from './history.ts'
import { checkHistory, holdDeliveries, releaseDeliveries, sumHistory } from './history.ts'
import { migrateUnderCalls } from './migrate-under-calls.ts'
import type { RequestRecord } from './records.ts'
import { countOpen, readRecords } from './records.ts'
import type { OldRelease } from './release.ts'
import type { RequestPlan } from './request-plans.ts'
import { drawRequestPlans } from './request-plans.ts'
import { roll, rollEach } from './roll.ts'
import { checkOfEither, upgradeAndBack, withNewer } from './upgrade.ts'
import type { SegmentsSeen } from './watch-segments.ts'
import { checkSegments, watchSegmentsOf } from './watch-segments.ts'

export type TrialOptions = {
  seed: number
  requests: number
  accounts: number
  apis: number
  workers: number
  seconds: number
  manner: 'chaos' | 'roll' | 'failover' | 'store' | 'upgrade' | 'clocks'
  killEveryMs: number
  databaseEnds: number
  storeFailsSeconds: number
  store: EnvironmentOptions['store']
  database: EnvironmentOptions['database']
  release?: OldRelease | undefined
  history?: History | undefined
  say: (line: string) => void
}

export type Outcome = {
  verdicts: GuaranteeResult[]
  records: RequestRecord[]
  observations: Observation[]
  tally: Tally
  disruptions: Disruption[]
  posts: number
  /** How many files the final cleanup deleted. Crashes left these files without a request. */
  swept: number
  recoveries: Recovery[]
  sweptUploads: number
  parts: SegmentsSeen
  /** The time from the acceptance of the last request until all requests were final. */
  drainSeconds: number
  logs: string
}

/** The time in which all requests must become final after the last disruption. */
const DRAIN_MS = 600_000

/** Runs a trial. Before it deletes the log folder, passes the folder to `keep`. */
export async function runTrial(options: TrialOptions, keep: (logs: string) => Promise<void>): Promise<Outcome> {
  const random = createRandom(options.seed)
  const { history } = options
  const drawn = drawRequestPlans(options.requests, options.accounts, random)
  const planned = plannedOf(options, drawn)
  const rush = history === undefined ? [] : rushOf(options, planned.length)
  const plans = [...planned, ...rush]
  const misbehaving = options.manner === 'store' ? createRandom(options.seed + 2) : undefined
  await using clocks = options.manner === 'clocks' ? await openClocks() : undefined
  await using environment = await openEnvironment({ ...options, workerConcurrency: 1, misbehaving, clocks })
  const logs = join(environment.folder, 'logs')
  try {
    const { apis, workers, release } = options
    const newest = await newestRequest(environment.sql)
    const sums = history && (await sumHistory(environment.sql, newest))
    const settingsOf = (role: string, index: number) =>
      role === 'worker' && index === 0 ? (clocks?.worker.environment ?? {}) : {}
    const fleetOptions = { apis, workers, logs, settings: environment.settings, main: release?.main, settingsOf }
    await using fleet = await startFleet(fleetOptions)
    await fleet.ready()
    options.say(`${options.apis} api and ${options.workers} worker processes are ready`)
    const tally: Tally = { responses: new Map(), breaches: [], faults: [], tookMs: [] }
    const over = new AbortController()
    await using proxy = isThroughProxy(options.manner) ? await startHaProxy(portsOf(fleet)) : undefined
    const urls = proxy === undefined ? fleet.urls : [proxy.url]
    const client = createClient(createCaller(urls, tally, over.signal, release && checkOfEither(release)), {
      ...environment,
      home: fleet.urls[0] ?? '',
      expireUpload: (source) => expireUpload(environment.sql, source),
      signal: over.signal,
    })
    const calm = new AbortController()
    const watched = new AbortController()
    const watching = watchSegmentsOf(environment.sql, watched.signal)
    const held: string[] = []
    let heldAt = 0
    const rushing: Promise<Observation[]>[] = []
    const breaking = history
      ? migrateUnderCalls(environment, {
          say: options.say,
          async rush() {
            held.push(...(await holdDeliveries(environment.sql, newest)))
            heldAt = Date.now()
            rushing.push(runAll(client, rush))
            await rushing[0]
            options.say(`${held.length} deliveries are pending; ${rush.length} calls were made at once`)
          },
        }).then(() => breakThings(options, environment, fleet, calm.signal))
      : clocks === undefined
        ? breakThings(options, environment, fleet, calm.signal)
        : jump(clocks, options.seconds * 1_000).then((disruptions): Broken => ({ disruptions }))
    const enough = new AbortController()
    if (history !== undefined) void breaking.finally(() => enough.abort()).catch(() => undefined)
    const submitting = submitAll(client, planned, {
      ...options,
      whenBegun: () => calm.abort(),
      over,
      enough: enough.signal,
    })
    const { disruptions, recoveries = [], readiness } = await breaking
    const observations = [...(await submitting), ...(await Promise.all(rushing)).flat()]
    await releaseDeliveries(environment.sql, held)
    options.say(`clients finished after ${disruptions.length} disruptions; waiting for open requests and events`)
    const drainedFrom = performance.now()
    const open = await drain(environment)
    const drainSeconds = (performance.now() - drainedFrom) / 1_000
    await Promise.all(
      observations.filter(({ plan }) => plan.live && plan.isDoubled).map((observation) => client.repeat(observation)),
    )
    watched.abort()
    const segments = await watching
    options.say('no request or event is open; stopping the processes')
    const records = await readRecords(environment.sql, newest)
    const posts = [...environment.received]
    const codes = await fleet.stop()
    const last = await startFleet({ ...fleetOptions, apis: 0, workers: 1, main: undefined })
    await last.ready()
    const lastCodes = await last.stop()
    options.say('all processes have stopped; checking the guarantees')
    const isGenuine = (post: Received, account: number) => isSigned(environment.accounts[account]?.webhookSecret, post)
    const mayLoseAttempts = ['chaos', 'failover', 'clocks'].includes(options.manner)
    const { verdicts: files, swept, sweptUploads } = await checkStore(environment, records)
    const verdicts = [
      ...checkGuarantees({ plans, observations, records, received: posts, mayLoseAttempts, isGenuine }),
      ...(await checkLedger(environment)),
      checkWaits(observations),
      // Skip this check if no video was split: an older version may not split, or no worker was free to help.
      ...(options.manner === 'upgrade' || (options.requests < 200 && segments.size === 0)
        ? []
        : [checkSegments(segments)]),
      checkDestinations(plans, records, environment.destinations),
      ...files,
      ...(await checkRemains(environment)),
      { guarantee: 'every open request and event finished in time', violations: open },
      { guarantee: 'no process exited unexpectedly', violations: [...fleet.unasked, ...last.unasked] },
      {
        guarantee: 'every process that received SIGTERM exited with 0',
        violations: [...codes, ...lastCodes].filter((code) => code !== 0).map((code) => `exit ${code}`),
      },
      { guarantee: 'every response matched the contract of its version', violations: tally.breaches },
      ...checkResponses(options, tally, disruptions),
      ...(sums === undefined
        ? []
        : checkHistory(
            sums,
            await sumHistory(environment.sql, newest),
            held,
            posts.filter(({ at }) => at >= heldAt),
          )),
      ...(environment.s3 !== undefined && readiness !== undefined ? checkStoreFaults(environment.s3, readiness) : []),
      ...(options.manner === 'failover' ? [checkRecoveries(recoveries)] : []),
    ]
    const counts = { posts: posts.length, parts: segments, swept, sweptUploads, drainSeconds }
    return { verdicts, records, observations, tally, disruptions, recoveries, ...counts, logs }
  } finally {
    await keep(logs)
  }
}

function portsOf(fleet: Fleet): [number, number] {
  const [one = 0, two = 0] = fleet.members.filter(({ role }) => role === 'api').map(({ port }) => port)
  return [one, two]
}

type Broken = { disruptions: Disruption[]; recoveries?: Recovery[]; readiness?: Readiness }

async function breakThings(
  options: TrialOptions,
  environment: Environment,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Broken> {
  const { apis, workers, say } = options
  const spanMs = options.seconds * 1_000
  if (options.manner === 'roll') return { disruptions: await roll(fleet, signal) }
  if (options.release !== undefined && options.history !== undefined)
    return { disruptions: await rollEach(fleet, ['api', 'worker'], MAIN) }
  if (options.release !== undefined)
    return { disruptions: await upgradeAndBack({ fleet, release: options.release, say }) }
  if (options.manner === 'failover') {
    const times = options.databaseEnds
    return await failOverAgain({ environment, urls: fleet.urls, workers, times, everyMs: spanMs / times, say })
  }
  if (options.manner === 'store' && environment.s3 !== undefined)
    return await runBadStore(environment.s3, fleet.urls, spanMs)
  const segments = options.databaseEnds + 1
  const disruptions = await disrupt({
    fleet,
    environment,
    apis,
    workers,
    // Use a separate random generator, so that disruptions do not change the random choices of clients.
    random: createRandom(options.seed + 1),
    signal,
    everyMs: options.killEveryMs,
    databaseAtMs: Array.from({ length: options.databaseEnds }, (_, index) => (spanMs * (index + 1)) / segments),
    storeAtMs: spanMs * 0.45,
    storeForMs: options.storeFailsSeconds * 1_000,
  })
  return { disruptions }
}

type Submission = {
  seconds: number
  whenBegun: () => void
  over: AbortController
  enough: AbortSignal
  say: (line: string) => void
}

async function submitAll(
  client: Client,
  plans: readonly RequestPlan[],
  { seconds, whenBegun, over, enough, say }: Submission,
): Promise<Observation[]> {
  const beganAt = performance.now()
  const observations: Promise<Observation>[] = []
  for (const plan of plans) {
    if (enough.aborted) break
    const at = beganAt + (plan.number * seconds * 1_000) / plans.length
    await delay(Math.max(0, at - performance.now()))
    observations.push(client.run(plan))
  }
  whenBegun()
  say('the client of every plan has started')
  const late = setTimeout(() => over.abort(), DRAIN_MS)
  try {
    return await Promise.all(observations)
  } finally {
    clearTimeout(late)
  }
}

function plannedOf({ manner, history }: TrialOptions, drawn: readonly RequestPlan[]): readonly RequestPlan[] {
  // Use live keys, because test keys have a daily limit. A client that reached it would retry forever.
  if (history !== undefined) return drawn.map((plan) => ({ ...plan, live: true }))
  if (manner === 'store') return withLargeFiles(drawn)
  return manner === 'upgrade' ? withNewer(drawn) : drawn
}

/** The number of calls during a migration, and how many run at the same time. */
const RUSH = 1_000
const ABREAST = 20

const rushOf = ({ accounts, seed }: TrialOptions, first: number): RequestPlan[] =>
  drawRequestPlans(RUSH, accounts, createRandom(seed + 3)).map((plan) => ({
    ...plan,
    number: first + plan.number,
    live: true,
    endpoint: 'read',
    source: 'small',
    arrival: 'url',
    uploadEnds: 'kept',
    destination: undefined,
    waits: false,
    webhook: false,
    isDoubled: false,
    abortAfterMs: undefined,
    isFollowed: false,
  }))

async function runAll(client: Client, plans: readonly RequestPlan[]): Promise<Observation[]> {
  const observations: Observation[] = []
  for (let from = 0; from < plans.length; from += ABREAST)
    observations.push(...(await Promise.all(plans.slice(from, from + ABREAST).map(client.run))))
  return observations
}

async function newestRequest(sql: Sql): Promise<number> {
  const [row] = await sql<{ id: number }[]>`select coalesce(max(id), 0) as id from requests`
  return row?.id ?? 0
}

/** Makes an upload expire, as if a day had passed. */
async function expireUpload(sql: Sql, source: string): Promise<void> {
  const id = source.slice('upload:'.length)
  await retryUntilAvailable(() => sql`update uploads set expires_at = now(), sweep_at = now() where id = ${id}`)
}

/** Waits until all requests are final and all events are delivered. After `DRAIN_MS`, returns an error instead. */
async function drain(environment: Environment): Promise<string[]> {
  const deadline = performance.now() + DRAIN_MS
  for (;;) {
    const { requests, events } = await retryUntilAvailable(() => countOpen(environment.sql))
    if (requests + events === 0) return []
    if (performance.now() > deadline) return [`${requests} requests and ${events} events are open`]
    await delay(250)
  }
}
