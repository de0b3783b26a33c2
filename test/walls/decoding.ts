import { type Wall, wallsOf } from './wall.ts'

const PLAN = ['src/plan/image.test.ts', 'test/journeys/hostile-budgets.test.ts']
const VIDEO = ['src/engines/video/walls.test.ts']
const BAD_VIDEO = ['src/engines/video/bad-input.test.ts', 'src/plan/video.test.ts']
const DOCUMENT = ['src/engines/document/read.test.ts']
const HOSTILE = ['test/journeys/hostile.test.ts']

/** What is decoded at all, by which decoder, and how much of it. */
export const DECODING: readonly Wall[] = [
  ...wallsOf('src/worker/run.ts', HOSTILE, {
    'a file of another medium': [
      'if (format === undefined || mediaTypeOf(format) !== media) throw unsupported(media)',
      'if (format === undefined) throw unsupported(media)',
    ],
    'a file of no format': [
      'if (format === undefined || mediaTypeOf(format) !== media)',
      'if (format !== undefined && mediaTypeOf(format) !== media)',
    ],
  }),
  ...wallsOf('src/sources/sniff.ts', ['src/sources/sniff.test.ts'], {
    'text that begins like a bitmap': ["all(at(0, 'BM'), isBitmapHeader)", "at(0, 'BM')"],
    'text that speaks of an object of a PDF': [String.raw`/(?:^|[\r\n\0])\s*\d`, String.raw`/\s*\d`],
    'text that holds the sync byte of a broadcast': ['if (packets < 2) return false', 'if (packets < 1) return false'],
  }),
  ...wallsOf('src/worker/assets.ts', ['test/journeys/images.test.ts', ...HOSTILE], {
    'a watermark of any format': [
      'const known = WATERMARK_FORMATS.find((name) => name === format)',
      "const known = WATERMARK_FORMATS.find((name) => name === format) ?? 'PNG'",
    ],
  }),
  ...wallsOf('src/engines/image/process.ts', ['src/engines/image/cut-off.test.ts'], {
    'a picture cut off below what a crop reads of it': ['  if (isPartRead(stages)) opened.refuseCutOff()\n', ''],
  }),
  ...wallsOf('src/engines/image/loaders.ts', ['src/engines/image/loaders.test.ts'], {
    'libvips’ other loaders': [
      "sharp.block({ operation: ['VipsForeignLoad'] })",
      "sharp.unblock({ operation: ['VipsForeignLoad'] })",
    ],
  }),
  ...wallsOf(
    'src/engines/image/pixel-limit.ts',
    ['src/engines/image/decode-bmp.test.ts', 'src/engines/image/decode-heic.test.ts'],
    {
      'a bitmap or HEIC whose pixels are more than its header says': [
        'if (width * height <= maxPixels) return',
        'return',
      ],
    },
  ),
  ...wallsOf('src/plan/image-budget.ts', PLAN, {
    'a source frame of any size': ['if (pixels > limits.maxFramePixels) {', 'if (false) {'],
    'a source of any number of frames': ['if (pixels * source.frames > limits.maxSourcePixels)', 'if (false)'],
    'a watermark of any size': ['if (pixels <= limits.maxFramePixels) return', 'return'],
    'a result that its format cannot hold': ['if (side <= MAX_SIDE[format]) return', 'return'],
    'an operation that makes a huge frame': ['if (pixels > maxFramePixels) {', 'if (false) {'],
    'an operation that makes many large frames': ['if (pixels * this.#frames > maxSourcePixels)', 'if (false)'],
    'a crop of what was enlarged beyond measure': [
      'if (Math.max(covered.width, covered.height) > MAX_COVERED_SIDE)',
      'if (false)',
    ],
    'operations that are too much together': ['if (this.#spent > MAX_CHAIN_PIXELS)', 'if (false)'],
    'copies laid over each other': ['  if (whole) return 0\n', '  return 0\n'],
  }),
  ...wallsOf('src/plan/document.ts', ['src/plan/document.test.ts'], {
    'watermarks without number': ['if (copies > MAX_COPIES)', 'if (false)'],
  }),
  ...wallsOf('src/plan/video.ts', BAD_VIDEO, {
    'a video of any size': ['if (source.width * source.height <= maxFramePixels) return', 'return'],
    'an operation that makes huge frames of a video': [
      'if (size.width * size.height <= limits.maxFramePixels) return',
      'return',
    ],
    'a video that H.264 cannot hold': [
      'if (Math.max(size.width, size.height) <= MAX_SIDE && macroblocks <= MAX_MACROBLOCKS) return',
      'return',
    ],
  }),
  ...wallsOf('src/engines/video/media.ts', VIDEO, {
    'a second file that a video names': ['    protocol_whitelist: protocols,\n', ''],
    'a format within a format': ['    format_whitelist: formats,\n', ''],
    'decoders that libav opens to look around': ['    codec_whitelist: DECODER_WHITELIST,\n', ''],
    'streams without number': ['    max_streams: MAX_STREAMS,\n', ''],
    'a video opened as another format': {
      edits: [["demuxer, options), 'open')", "null, options), 'open')"]],
      behind: { file: 'src/engines/video/media.ts', edits: [['    format_whitelist: formats,\n', '']] },
    },
  }),
  ...wallsOf('src/engines/video/decoder.ts', VIDEO, {
    'decoders that are not on the list': [
      "if (codec === null || !isAllowedDecoder(codec.name ?? ''))",
      'if (codec === null)',
    ],
    'pictures larger than the header says': [", ...(what === 'picture' && { max_pixels: maxPixels })", ''],
  }),
  ...wallsOf('src/engines/document/pdfium.ts', ['src/engines/document/snapshot.test.ts'], {
    'a document that needs more memory than there is': ['(size >>> 0 > maxBytes ? 0 : grow(size))', 'grow(size)'],
  }),
  ...wallsOf('src/engines/document/page-tree.ts', DOCUMENT, {
    'a number of pages that the file only claims': ['isSound: isSound && count === pages.length', 'isSound: true'],
    'a page tree in a circle': [
      'const dictionary = isCircle ? undefined : dictionaryAt(objects, next.value)',
      'const dictionary = dictionaryAt(objects, next.value)',
    ],
    'pages without number': ['if (pages.length > MAX_PAGES) throw tooManyPages()', ''],
    'a page tree that is too deep for other readers': [' || next.level > MAX_LEVELS) isSound', ') isSound'],
  }),
  ...wallsOf('src/engines/document/page-tree.ts', ['src/engines/document/page-tree.test.ts'], {
    'nodes without pages': ['if (nodes > MAX_NODES) throw tooManyPages()', ''],
  }),
  ...wallsOf('src/engines/document/source-file.ts', ['src/engines/document/source-file.test.ts'], {
    'a stream of objects that blows up': ['{ maxOutputLength: MAX_STREAM_BYTES }', '{}'],
    'tables without number': ['if (tables > MAX_TABLES)', 'if (false)'],
  }),
  ...wallsOf('src/engines/document/read.ts', DOCUMENT, {
    'a title that no database takes': [".replaceAll('\\0', '')", ''],
  }),
]
