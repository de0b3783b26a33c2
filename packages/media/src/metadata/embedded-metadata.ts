import type { Exif } from './exif.ts'

export type EmbeddedMetadata = { exif?: Exif | undefined; iptc?: Buffer | undefined; xmp?: Buffer | undefined }
