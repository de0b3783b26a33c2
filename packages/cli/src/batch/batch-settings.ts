import type { MediaType } from '@mediamill/contract/domain/media'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { FlaggedOutput } from '../operations/output-flag.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import type { Target } from '../outputs/target.ts'

export type OpenedTemplate = {
  /** The name with the version, such as `product@3`. Versions never change, so a rerun finds its earlier requests. */
  id: string
  media: MediaType
  variables: Record<string, string | number | boolean>
  files: readonly NamedFile[]
}

export type BatchSettings = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** The outputs, if the command makes several files of each input. */
  outputs?: readonly FlaggedOutput[] | undefined
  template?: OpenedTemplate | undefined
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type. Undefined if it depends on the content of each input. */
  media: MediaType | undefined
  target: Target
}
