import type { MediaType } from '@mediamill/contract/domain/media'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { FlaggedOutput } from '../operations/output-flag.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import type { Target } from '../outputs/target.ts'

/** A stored template with the values of its variables. */
export type OpenedTemplate = {
  /** Name and version. A version never changes, so a later run finds the same request. */
  id: string
  media: MediaType
  variables: Record<string, string | number | boolean>
  /** The files that it makes. */
  files: readonly NamedFile[]
}

/** The work of a command on every input. */
export type Wanted = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** Several files of each input; `undefined` for one file. */
  outputs?: readonly FlaggedOutput[] | undefined
  /** The template that takes the place of operations and outputs. */
  template?: OpenedTemplate | undefined
  /** Fields of the body except `source`, `operations`, and `output`. A field that is `undefined` is not sent. */
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type of the inputs, if it does not depend on their content. */
  media: MediaType | undefined
  target: Target
}
