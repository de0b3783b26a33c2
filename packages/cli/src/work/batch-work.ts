import type { MediaType } from '@mediamill/contract/domain/media'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { FlaggedOutput } from '../operations/output-flag.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import type { Target } from '../outputs/target.ts'

export type OpenedTemplate = {
  /** Such as `product@3`. A version never changes, so a later run finds the same request. */
  id: string
  media: MediaType
  variables: Record<string, string | number | boolean>
  files: readonly NamedFile[]
}

/** The work that a command does on every input. */
export type BatchWork = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** The outputs, if several files are made of each input; `undefined` for one file. */
  outputs?: readonly FlaggedOutput[] | undefined
  /** The template that replaces operations and outputs. */
  template?: OpenedTemplate | undefined
  /** All but `source`, `operations`, and `output`. Fields with the value `undefined` are not sent. */
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type of the inputs, if it does not depend on their content. */
  media: MediaType | undefined
  target: Target
}
