import type { Exif } from './exif.ts'

/** The metadata of a file: its EXIF entries, its IPTC datasets, and its XMP packet. */
export type EmbeddedMetadata = { exif?: Exif | undefined; iptc?: Buffer | undefined; xmp?: Buffer | undefined }
