import { readFileSync } from 'node:fs'
import type { X264Instructions } from '@mediamill/engines/protocol/messages'

/**
 * Returns the newest instructions that libx264 may use, or `undefined` for no limit. With AVX-512, libx264 165
 * sometimes encodes the same frames differently. Sandboxed engines cannot read `/proc`.
 */
export const x264Instructions = (cpuInfo = readCpuInfo()): X264Instructions | undefined =>
  /\bavx512/.test(cpuInfo) ? 'AVX2' : undefined

function readCpuInfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8')
  } catch {
    return ''
  }
}
