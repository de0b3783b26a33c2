import type { MediaType } from '@mediamill/contract/domain/media'
import type { FlaggedOperation } from '../operations/operation-flags.ts'
import type { FlaggedOutput } from '../operations/output-flag.ts'
import type { NamedFile } from '../outputs/file-names.ts'
import type { Target } from '../outputs/target.ts'

export type OpenedTemplate = {
  /**
   * A template's name with its version, such as `product@3`. A version never changes, so a rerun of the command finds
   * its earlier requests.
   */
  id: string
  media: MediaType
  variables: Record<string, string | number | boolean>
  files: readonly NamedFile[]
}

export type BatchSettings = {
  verb: 'process' | 'read' | 'screenshot' | 'snapshot'
  operations: readonly FlaggedOperation[]
  /** The outputs, if the command makes several files of each input. Otherwise `undefined`. */
  outputs?: readonly FlaggedOutput[] | undefined
  template?: OpenedTemplate | undefined
  /** The other fields of the body. Undefined fields are not sent. */
  fields: Record<string, unknown>
  format: string | undefined
  /** The media type of all inputs. Undefined if it depends on the content of each input. */
  media: MediaType | undefined
  target: Target
}
