import type { SourceFormat } from '@mediamill/contract/domain/media'
import { boxes } from './iso-bmff.ts'

/** Detects MP4, MOV, HEIC, and AVIF, by the main brand, then the compatible brands, and then the item types. */
export function sniffIsoMedia(head: Buffer): SourceFormat | undefined {
  const first = boxes(head).next().value
  // Before 2003, QuickTime files had no `ftyp` box.
  if (first?.type !== 'ftyp') return isQuickTime(head) ? 'MOV' : undefined
  const size = head.readUInt32BE(0)
  if (size < 16 || size > MAX_FTYP_BYTES) return undefined
  const [major = '', ...compatible] = brandsOf(first.body)
  return (
    byBrand(major) ??
    (GENERAL_IMAGE_BRANDS.has(major) ? imageFormat(head, compatible) : undefined) ??
    compatible.map(byBrand).find((format) => format !== undefined) ??
    (compatible.some((brand) => GENERAL_IMAGE_BRANDS.has(brand)) ? imageFormat(head, []) : undefined)
  )
}

/** The maximum size of `ftyp` in bytes. 1,000 brands fit into it, and real files have fewer than ten. */
const MAX_FTYP_BYTES = 4096

function brandsOf(body: Buffer): string[] {
  const words = body.toString('latin1').match(/[^]{4}/g) ?? []
  return words.filter((_, index) => index !== 1)
}

const GENERAL_IMAGE_BRANDS: ReadonlySet<string> = new Set(['mif1', 'mif2', 'msf1', 'miaf', '1pic'])

const BRANDS: readonly (readonly [SourceFormat, RegExp])[] = [
  ['AVIF', /^avi[fso]$/],
  ['HEIC', /^(?:hei[cxms]|hev[cxms])$/],
  ['MOV', /^qt {2}$/],
  [
    'MP4',
    /^(?:iso[m0-9a-z]|mp4[12]|mp7[12]|avc1|av01|hvc1|M4[VAPB] |MSNV|3g[2efgprs].|dash|cmf[2csvafl]|[Ff]4v |mmp4|ND.[CHMPSX]|XAVC|dby1|MG[ -]?..|isml|piff|nvr1)$/,
  ],
]

const byBrand = (brand: string) => BRANDS.find(([, pattern]) => pattern.test(brand))?.[0]

function imageFormat(head: Buffer, compatible: readonly string[]): SourceFormat | undefined {
  const named = compatible.map(byBrand).find((format) => format === 'AVIF' || format === 'HEIC')
  return named ?? codedAs(head)
}

function codedAs(head: Buffer): SourceFormat | undefined {
  const offsets = (
    [
      ['HEIC', 'hvc1'],
      ['AVIF', 'av01'],
    ] as const
  ).map(([format, code]) => ({ format, offset: head.indexOf(code, 16, 'latin1') }))
  return offsets.filter(({ offset }) => offset !== -1).sort((a, b) => a.offset - b.offset)[0]?.format
}

const QUICKTIME_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])

/** Detects a QuickTime file without `ftyp`. `free` and `skip` also occur in texts, so another known box must follow. */
function isQuickTime(head: Buffer): boolean {
  if (head.length < 12) return false
  const size = head.readUInt32BE(0)
  const type = head.toString('latin1', 4, 8)
  if (!QUICKTIME_BOXES.has(type)) return false
  if (type === 'moov') return ['mvhd', 'cmov', 'rmra', 'udta'].includes(head.toString('latin1', 12, 16))
  if (type === 'mdat') return size === 0 || size === 1 || size >= 8
  return size >= 8 && QUICKTIME_BOXES.has(head.toString('latin1', size + 4, size + 8))
}
