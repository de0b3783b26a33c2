import type { OutputFormat, SourceFormat } from '@mediamill/contract/domain/media'
import type { RequestError, ResultData } from '@mediamill/contract/domain/request'
import type { DataOf, EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'

/** A file in the scratch folder. The engine opens the file only as `format`. */
export type EngineFile = {
  path: string
  format: SourceFormat
  /** The size of the complete file in bytes, even if only a part is present. */
  size: number
  /** If set, only this many bytes at the start are present. The engine requests the other bytes with `read`. */
  presentBytes?: number
}

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

/** The newest processor instructions that libx264 may use. */
export type X264Instructions = 'AVX2'

export type EngineLimits = {
  maxFramePixels: number
  maxSourcePixels: number
  maxResultBytes: number
  x264Instructions?: X264Instructions | undefined
}

/** A result file. With `outputs`, `width` and `height` are set, and the files are in the order of the outputs. */
export type EngineResultFile = {
  path: string
  format: OutputFormat
  size: number
  sha256: string
  width?: number
  height?: number
}

/** A call to the worker. Only one call may be open at a time. */
export type EngineCall =
  | { type: 'read'; offset: number; length: number }
  | { type: 'reserve'; bytes: number }
  /** Reports the expected units, so that the worker can increase the amount on hold (billing.holds.1). */
  | { type: 'estimate'; units: number }

export type EngineGrant = { type: 'granted' }

/**
 * The result of a job. `units` determines the price (billing.units.1): files of an image, started minutes, pages of a
 * document, or 1.
 */
export type EngineDone = { data: ResultData; files: EngineResultFile[]; units: number }

export type EngineResult<Name extends EndpointName> = EngineDone & { data: DataOf<Name> }

/** A message to the worker. After an invalid message, the worker kills the engine (`engine-reply.ts`). */
export type EngineReply =
  | { type: 'ready' }
  /** The progress, 0 to 100. The supervisor ignores a progress that does not increase. */
  | { type: 'progress'; percent: number }
  | EngineCall
  | ({ type: 'done' } & EngineDone)
  /** The request failed, but the engine is intact and accepts the next job. `cause` is for the log. */
  | { type: 'failed'; error: RequestError; cause?: string }
