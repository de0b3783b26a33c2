import type { Wall } from './wall.ts'
import { at, swap, wallsOf } from './wall.ts'

const PLAN = ['packages/media/src/plan/image.test.ts', 'packages/server/test/journeys/hostile-budgets.test.ts']
const VIDEO = ['packages/engines/src/video/walls.test.ts']
const BAD_VIDEO = ['packages/engines/src/video/bad-input.test.ts', 'packages/media/src/plan/video.test.ts']
const DOCUMENT = ['packages/engines/src/document/read.test.ts']
const HOSTILE = ['packages/server/test/journeys/hostile.test.ts']

/** What is decoded at all, by which decoder, and how much of it. */
export const DECODING: readonly Wall[] = [
  ...wallsOf(HOSTILE, {
    'a file of another medium': swap(['undefined || _(_) !== _', 'undefined']),
    'a file of no format': at('a file of another medium', swap(['=== undefined ||', '!== undefined &&'])),
  }),
  ...wallsOf(['packages/media/src/formats/sniff.test.ts'], {
    'text that begins like a bitmap': swap(["all(at(0, 'BM'), isBitmapHeader)", "at(0, 'BM')"]),
    'text that speaks of an object of a PDF': swap([
      String.raw`/(?:^|[\r\n\0])[^\S\r\n]*\d`,
      String.raw`/[^\S\r\n]*\d`,
    ]),
    'text that holds the sync byte of a broadcast': swap(['2', '1']),
  }),
  ...wallsOf(['packages/server/test/journeys/images.test.ts', ...HOSTILE], {
    'a watermark of any format': swap(['format)', "format) ?? 'PNG'"]),
  }),
  ...wallsOf(['packages/media/src/formats/truncation.test.ts'], {
    'a picture cut off below what a crop reads of it': 'gone',
  }),
  ...wallsOf(['packages/engines/src/sharp/loaders.test.ts'], {
    'libvips’ other loaders': swap(['block', 'unblock']),
  }),
  ...wallsOf(
    ['packages/engines/src/image/sources/decode-bmp.test.ts', 'packages/engines/src/image/sources/decode-heic.test.ts'],
    {
      'a bitmap or HEIC whose pixels are more than its header says': 'always',
    },
  ),
  ...wallsOf(PLAN, {
    'a source frame of any size': 'never',
    'a source of any number of frames': 'never',
    'a watermark of any size': 'always',
    'a result that its format cannot hold': 'always',
    'an operation that makes a huge frame': 'never',
    'an operation that makes many large frames': 'never',
    'a crop of what was enlarged beyond measure': 'never',
    'operations that are too much together': 'never',
    'an expensive format that occupies a worker for minutes': 'always',
    'copies laid over each other': 'always',
  }),
  ...wallsOf(['packages/media/src/plan/document.test.ts'], {
    'watermarks without number': 'never',
  }),
  ...wallsOf(BAD_VIDEO, {
    'a video of any size': 'always',
    'an operation that makes huge frames of a video': 'always',
    'a video that H.264 cannot hold': 'always',
  }),
  ...wallsOf(VIDEO, {
    'a second file that a video names': 'gone',
    'a format within a format': 'gone',
    'decoders that libav opens to look around': 'gone',
    'streams without number': 'gone',
    'a video opened as another format': [
      at('a video opened as another format', swap(['demuxer', 'null'])),
      at('a format within a format', 'gone'),
    ],
    'decoders that are not on the list': swap(["null || !isAllowedDecoder(codec.name ?? '')", 'null']),
    'pictures larger than the header says': swap([", ...(what === 'picture' && { max_pixels: maxPixels })", '']),
  }),
  ...wallsOf(['packages/engines/src/document/snapshot.test.ts'], {
    'a document that needs more memory than there is': swap(['(size >>> 0 > _ ? 0 : grow(size)', 'grow(size']),
  }),
  ...wallsOf(DOCUMENT, {
    'a number of pages that the file only claims': swap(['_ && _ === _', 'true']),
    'a page tree in a circle': swap(['_ ? undefined : dictionaryAt', 'dictionaryAt']),
    'pages without number': 'gone',
    'a page tree that is too deep for other readers': swap([' || _ > _', '']),
  }),
  ...wallsOf(['packages/engines/src/document/pdf/page-tree.test.ts'], {
    'nodes without pages': 'gone',
  }),
  ...wallsOf(['packages/engines/src/document/pdf/source-file.test.ts'], {
    'a stream of objects that blows up': swap([' maxOutputLength: MAX_STREAM_BYTES ', '']),
    'tables without number': 'never',
  }),
  ...wallsOf(DOCUMENT, {
    'a title that no database takes': swap([".replaceAll('\\0', '')", '']),
  }),
]
