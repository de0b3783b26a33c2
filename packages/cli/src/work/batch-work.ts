import type { MediaType } from '@mediamill/contract/domain/media'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { FlaggedOutput } from '../operations/output-flag.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import type { Target } from '../outputs/target.ts'

export type OpenedTemplate = {
  /** The name with its version, such as `product@3`. A version never changes, so a later run finds the same request. */
  id: string
  media: MediaType
  variables: Record<string, string | number | boolean>
  files: readonly NamedFile[]
}

export type BatchWork = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** The outputs if the command makes several files of each input, otherwise `undefined`. */
  outputs?: readonly FlaggedOutput[] | undefined
  template?: OpenedTemplate | undefined
  /** The other fields of the body. Fields with the value `undefined` are not sent. */
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type of all inputs, or `undefined` if each input's own content determines it. */
  media: MediaType | undefined
  target: Target
}
