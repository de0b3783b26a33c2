import { codedProfile } from '../icc-profile.ts'
import type { HeifItems } from './heif-items.ts'

export function heifProfile({ primary, properties, references }: HeifItems): Buffer | undefined {
  const parts = references.find(({ type, from }) => type === 'dimg' && from === primary)?.to ?? []
  const own = [primary, ...parts.slice(0, 1)].flatMap((item) => properties.get(item) ?? [])
  const colors = own.filter(({ type }) => type === 'colr').map(({ body }) => body)
  const kind = (body: Buffer) => body.toString('latin1', 0, 4)
  const embedded = colors.find((body) => kind(body) === 'prof' || kind(body) === 'rICC')
  if (embedded !== undefined) return embedded.subarray(4)
  const codes = colors.find((body) => kind(body) === 'nclx' && body.length >= 8)
  return codes === undefined ? undefined : codedProfile(codes.readUInt16BE(4), codes.readUInt16BE(6))
}
