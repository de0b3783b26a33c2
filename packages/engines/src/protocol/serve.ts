import { RequestFailure } from '@mediamill/contract/domain/errors'
import { toRequestError } from '@mediamill/contract/domain/request'
import type { EndpointName } from '@mediamill/contract/endpoints/index'
import type { EngineCall, EngineDone, EngineGrant, EngineJob, EngineReply, EngineResult, JobOf } from './messages.ts'

/** A function that runs one kind of job. `report` accepts the progress, 0 to 99. */
type EngineTask<Name extends EndpointName> = (
  job: JobOf<Name>,
  report: (percent: number) => void,
  callWorker: CallWorker,
) => Promise<EngineResult<Name>>

type NamesOf<Plural extends string> = Extract<EndpointName, `${Plural}/${string}`>

type EngineTasks<Plural extends string> = { [Name in NamesOf<Plural>]: EngineTask<Name> }

export type CallWorker = (request: EngineCall) => Promise<void>

export function serveJobs<Plural extends string>(
  endpoints: EngineTasks<Plural>,
  otherTasks: Readonly<Record<string, OtherTask>> = {},
): void {
  const tasks: object = { ...endpoints, ...otherTasks }
  let busy = false
  let granted: (() => void) | undefined
  let lastCall = Promise.resolve()
  const callNow = (request: EngineCall) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    granted = resolve
    send(request)
    return promise
  }
  // Replies have no id, so each call waits for the reply to the previous call.
  const callWorker: CallWorker = (request) => {
    lastCall = lastCall.then(() => callNow(request))
    return lastCall
  }
  process.on('message', (message: EngineJob | EngineGrant) => {
    if ('type' in message) return granted?.()
    if (busy) return crash(new Error(`a job arrived before the reply to the previous job: ${message.task}`))
    busy = true
    lastCall = Promise.resolve()
    run(tasks, message, callWorker).then((reply) => {
      busy = false
      send(reply)
    }, crash)
  })
  process.once('disconnect', () => process.exit(0))
  process.once('uncaughtException', crash)
  process.once('unhandledRejection', crash)
  send({ type: 'ready' })
}

type OtherTask = (job: never, report: never, callWorker: never) => Promise<EngineDone>

export type AnyTask = (job: EngineJob, report: (percent: number) => void, callWorker: CallWorker) => Promise<EngineDone>

async function run(tasks: object, job: EngineJob, callWorker: CallWorker): Promise<EngineReply> {
  // The parameters were parsed for `job.task`, so they have the type that this task expects.
  const task = Object.hasOwn(tasks, job.task) ? (tasks as Readonly<Record<string, AnyTask>>)[job.task] : undefined
  if (task === undefined) throw new RangeError(`no such task: ${job.task}`)
  try {
    return { type: 'done', ...(await task(job, (percent) => send({ type: 'progress', percent }), callWorker)) }
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    return {
      type: 'failed',
      error: toRequestError(error),
      ...(error.cause !== undefined && { cause: describe(error.cause) }),
    }
  }
}

const describe = (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))

function send(reply: EngineReply): void {
  // If the channel closes during a reply, the worker has exited. `disconnect` then ends this process.
  process.send?.(reply, undefined, undefined, () => {})
}

function crash(error: unknown): void {
  process.stderr.write(`${describe(error)}\n`, () => process.exit(1))
}
