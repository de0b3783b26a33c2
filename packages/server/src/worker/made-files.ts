import { outputNames } from '@mediamill/contract/endpoints/outputs'
import type { EngineDone, EngineResultFile } from '@mediamill/engines/protocol/messages'

export type MadeFile = EngineResultFile & { name?: string }

export function nameFiles({ files }: Pick<EngineDone, 'files'>, parameters: Record<string, unknown>): MadeFile[] {
  const names = outputNames(parameters)
  if (names === undefined) return files
  if (files.length !== names.length)
    throw new Error(`the engine made ${files.length} files for ${names.length} outputs`)
  return files.map((file, index) => ({ ...file, name: names[index] ?? '' }))
}
