import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import type { EngineAsk, EngineDone, EngineGrant, EngineJob, EngineReply, EngineResult, JobOf } from './messages.ts'

/**
 * Does one job. `report` passes on how far it is, 0 to 99, and `ask` settles when the worker has granted what is asked.
 *
 * Throws `RequestFailure` for what the client should know.
 */
export type EngineTask<Name extends EndpointName> = (
  job: JobOf<Name>,
  report: (percent: number) => void,
  ask: AskWorker,
) => Promise<EngineResult<Name>>

/** The endpoints of an engine: those whose names begin with its medium's plural. */
type NamesOf<Plural extends string> = Extract<EndpointName, `${Plural}/${string}`>

/** A task for each endpoint of an engine: one without a task does not compile. */
export type EngineTasks<Plural extends string> = { [Name in NamesOf<Plural>]: EngineTask<Name> }

export type AskWorker = (request: EngineAsk) => Promise<void>

/**
 * Runs the main loop of an engine process. It takes jobs over the channel to its parent, one at a time, until it
 * closes.
 *
 * A `RequestFailure` is an answer and leaves the process healthy. Any other error is a bug or a broken library: the
 * process writes it to stderr and exits with 1, so that nothing it may have damaged meets the next job. `others` are tasks
 * that no endpoint has.
 */
export function serveJobs<Plural extends string>(
  tasks: EngineTasks<Plural>,
  others: Readonly<Record<string, OtherTask>> = {},
): void {
  serveTasks({ ...tasks, ...others })
}

/** Runs the main loop for tasks of any name, as tests have them. */
export function serveTasks(tasks: object): void {
  let busy = false
  let granted: (() => void) | undefined
  let last = Promise.resolve()
  const askNow = (request: EngineAsk) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    granted = resolve
    send(request)
    return promise
  }
  // One answer looks like another, so that each waits for the one before.
  const ask: AskWorker = (request) => {
    last = last.then(() => askNow(request))
    return last
  }
  process.on('message', (message: EngineJob | EngineGrant) => {
    if ('type' in message) return granted?.()
    if (busy) return crash(new Error(`a job came before the last one was answered: ${message.task}`))
    busy = true
    last = Promise.resolve()
    run(tasks, message, ask).then((reply) => {
      busy = false
      send(reply)
    }, crash)
  })
  process.once('disconnect', () => process.exit(0))
  process.once('uncaughtException', crash)
  process.once('unhandledRejection', crash)
  send({ type: 'ready' })
}

/** A task that no endpoint has. It names the parameters that its sender parsed for it. */
type OtherTask = (job: never, report: never, ask: never) => Promise<EngineDone>

/** A task as the channel knows it. */
export type AnyTask = (job: EngineJob, report: (percent: number) => void, ask: AskWorker) => Promise<EngineDone>

async function run(tasks: object, job: EngineJob, ask: AskWorker): Promise<EngineReply> {
  // A task is looked up by the name that its parameters were parsed for.
  const task = Object.hasOwn(tasks, job.task) ? (tasks as Readonly<Record<string, AnyTask>>)[job.task] : undefined
  if (task === undefined) throw new RangeError(`no such task: ${job.task}`)
  try {
    return { type: 'done', ...(await task(job, (percent) => send({ type: 'progress', percent }), ask)) }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    return {
      type: 'failed',
      error: {
        code: error.code,
        message: error.message,
        ...(error.operation !== undefined && { operation: error.operation }),
      },
      ...(error.cause !== undefined && { cause: describe(error.cause) }),
    }
  }
}

const describe = (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))

function send(reply: EngineReply): void {
  // A channel closed under a reply means that the parent is gone: `disconnect` ends the process.
  process.send?.(reply, undefined, undefined, () => {})
}

function crash(error: unknown): void {
  process.stderr.write(`${describe(error)}\n`, () => process.exit(1))
}
