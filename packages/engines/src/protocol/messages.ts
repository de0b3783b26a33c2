import type { FailureCode } from '@mediamill/contract/domain/errors'
import type { OutputFormat, SourceFormat } from '@mediamill/contract/domain/media'
import type { RequestError, ResultData } from '@mediamill/contract/domain/request'
import type { DataOf, EndpointName } from '@mediamill/contract/endpoints/index'
import type { WorkOf } from '@mediamill/contract/endpoints/work'

/** A file in the job's scratch folder, already sniffed. An engine opens it as `format` and as nothing else. */
export type EngineFile = {
  path: string
  format: SourceFormat
  /** Of the whole file, also where not all of it is there yet. */
  size: number
  /** Only so many bytes from the beginning are there; others have to be asked for (`read`). Missing: it is whole. */
  presentBytes?: number
}

/** A file that one or more operations asked for by its URL. */
export type EngineAsset = EngineFile & { url: string }

/** What a worker hands to an engine: one job at a time in each process. Its supervisor knows no more of it. */
export type EngineJob = {
  /** The endpoint's name: it says what to do. */
  task: string
  input: EngineFile
  assets: EngineAsset[]
  /** The request's body after validation, defaults filled in. */
  parameters: Record<string, unknown>
  /** The one folder the engine may write to. */
  scratch: string
  limits: EngineLimits
  /** Whether a thumbnail of the result is wanted. */
  thumbnail?: boolean
}

/** The same for what may be drawn from its parameters alone, without a source. */
export type AnyJob = Omit<EngineJob, 'input'> & { input?: EngineFile | undefined }

/** The job of an endpoint. */
export type JobOf<Name extends EndpointName> = Omit<EngineJob, 'task' | 'parameters'> & WorkOf<Name>

export type EngineLimits = { maxFramePixels: number; maxSourcePixels: number; maxResultBytes: number }

export type EngineResultFile = { path: string; format: OutputFormat; size: number; sha256: string }

/** A small WebP beside a result. Where it is missing, it could not be made or need not be. */
export type EngineThumbnail = { path: string; size: number }

/**
 * A thing that an engine asks of its worker in the middle of a job. It asks one at a time, and a `granted` answers it.
 */
export type EngineAsk =
  /** These bytes of the source are to be in the input file, which is there only in parts. */
  | { type: 'read'; offset: number; length: number }
  /** So much memory is going to be used: the answer comes when the machine has it to spare. */
  | { type: 'reserve'; bytes: number }
  /** The work to come will cost so many units: the worker raises the credit held for it (rulings 6). */
  | { type: 'estimate'; units: number }

export type EngineGrant = { type: 'granted' }

/** `units` are what the price is counted in (Spec 4.2): 1, started minutes, or pages. */
export type EngineDone = { data: ResultData; files: EngineResultFile[]; units: number; thumbnail?: EngineThumbnail }

/** The good end of a task, with the facts that its endpoint declares. */
export type EngineResult<Name extends EndpointName> = EngineDone & { data: DataOf<Name> }

/**
 * An engine's answer; `packages/server/src/supervisor/engine-reply.ts` refuses, and ends the process for, anything else.
 *
 * Facts in `data` are scalars or one level of them under lower-case names, their text without NUL and lone surrogates.
 * Result files lie directly in `scratch`. All replies to one job together stay below 4 MiB.
 */
export type EngineReply =
  | { type: 'ready' }
  /** 0 to 100; send each whole percent once. */
  | { type: 'progress'; percent: number }
  | EngineAsk
  | ({ type: 'done' } & EngineDone)
  /** A failure the engine raised itself: the process is healthy and takes the next job. `cause` is for the log. */
  | { type: 'failed'; error: RequestError; cause?: string }

export type EngineFailureCode = Extract<FailureCode, 'unsupported_media' | 'encrypted_document' | 'processing_failed'>
