import type { OutputFormat, SourceFormat } from '@mediamill/contract/domain/media'
import type { RequestError, ResultData } from '@mediamill/contract/domain/request'
import type { DataOf, EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'

/** A file in the job's scratch folder, with its detected format. An engine opens the file only as this format. */
export type EngineFile = {
  path: string
  format: SourceFormat
  /** The size of the whole file, even if only a part is present. */
  size: number
  /** The number of present bytes from the start of the file. The engine must request the remaining bytes (`read`). */
  presentBytes?: number
}

/** An additional file that operations reference by URL. */
export type AdditionalInput = EngineFile & { url: string }

export type EngineJob = {
  task: string
  input: EngineFile
  assets: AdditionalInput[]
  parameters: Record<string, unknown>
  /** The only folder that the engine may write to. */
  scratch: string
  limits: EngineLimits
}

export type AnyJob = Omit<EngineJob, 'input'> & { input?: EngineFile | undefined }

export type JobOf<Name extends EndpointName> = Omit<EngineJob, 'task' | 'parameters'> & WorkOf<Name>

export type EngineLimits = { maxFramePixels: number; maxSourcePixels: number; maxResultBytes: number }

/** A result file. `width` and `height` are set only with `outputs`, whose order the files keep. */
export type EngineResultFile = {
  path: string
  format: OutputFormat
  size: number
  sha256: string
  width?: number
  height?: number
}

/** A request from an engine to its worker during a job. An engine has at most one open request. */
export type EngineAsk =
  | { type: 'read'; offset: number; length: number }
  /** Requests memory. The worker replies when it has reserved the memory. */
  | { type: 'reserve'; bytes: number }
  /** Reports the expected units, so that the worker can increase the held credit (billing.holds.1). */
  | { type: 'estimate'; units: number }

export type EngineGrant = { type: 'granted' }

/** The result of a job. `units` determines the price (billing.units.1): 1, started minutes, or pages. */
export type EngineDone = { data: ResultData; files: EngineResultFile[]; units: number }

export type EngineResult<Name extends EndpointName> = EngineDone & { data: DataOf<Name> }

/** A message from an engine. The worker kills the engine after an invalid message (`engine-reply.ts`). */
export type EngineReply =
  | { type: 'ready' }
  /** Reports progress, 0 to 100. Send each whole percent once. */
  | { type: 'progress'; percent: number }
  | EngineAsk
  | ({ type: 'done' } & EngineDone)
  /** The request failed, but the process is healthy and accepts the next job. `cause` is for the log. */
  | { type: 'failed'; error: RequestError; cause?: string }
