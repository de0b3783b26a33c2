import { gzipSync } from 'node:zlib'
import { patched, text, u16be } from './bytes.ts'
import type { HostileFile } from './hostile-file.ts'
import { both } from './hostile-file.ts'
import { validImages } from './valid-files.ts'

/** Contents of text files that are named like images. Some decoders would open files or hosts, or run a program. */
const IMAGE_TEXTS: Record<string, string> = {
  'svg-with-file.png': `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100"><image xlink:href="file:///etc/passwd" width="100" height="100"/></svg>`,
  'svg-with-entities.jpg': `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&c;&x;</text></svg>`,
  'magick-vector.gif': `push graphic-context\nviewbox 0 0 640 480\nfill 'url(https://127.0.0.1/x.jpg"|touch "/tmp/owned)'\npop graphic-context\n`,
  'magick-script.png': `<?xml version="1.0"?><image><read filename="/etc/passwd"/><write filename="/tmp/owned.php"/></image>`,
  'postscript.jpg': `%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n(/etc/passwd) (r) file 100 string readstring pop show\nshowpage\n`,
  'bitmap-in-c.png': `#define x_width 16\n#define x_height 2\nstatic char x_bits[] = { 0x13, 0x00, 0x15, 0x00 };\n`,
  'pixmap-in-c.png': `/* XPM */\nstatic char *x[] = { "1 1 1 1", "a c #ff0000", "a" };\n`,
  'portable.png': `P6\n2147483647 2147483647\n255\n`,
  'page.jpg': `<!doctype html><script>alert(document.domain)</script>`,
  'text-label.png': `label:@/etc/passwd`,
  'empty.jpg': ``,
  'one-byte.jpg': `\xff`,
}

const VIDEO_TEXTS: Record<string, string> = {
  'playlist-of-files.mp4': `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`,
  'playlist-of-hosts.ts': `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nhttp://169.254.169.254/latest/meta-data/\n#EXT-X-ENDLIST\n`,
  'concat-list.mp4': `ffconcat version 1.0\nfile /etc/passwd\nfile ../source\n`,
  'dash.mp4': `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet><Representation id="1"><BaseURL>file:///etc/passwd</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  'session.mp4': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n`,
  'subtitles.mkv': `1\n00:00:00,000 --> 00:00:10,000\n/etc/passwd\n`,
  'empty.mp4': ``,
}

const SCRIPT = 'alert(document.domain)//mediamill-payload'

export async function disguises(): Promise<HostileFile[]> {
  const { JPEG, PNG, GIF } = await validImages()
  const rejected = both('unsupported_media')
  const texts = (media: 'image' | 'video', files: Record<string, string>): HostileFile[] =>
    Object.entries(files).map(([name, content]) => ({ name, media, bytes: text(content), ...rejected }))
  const comment = (content: string) =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), u16be(content.length + 2), text(content)])
  const commented = Buffer.concat([JPEG.subarray(0, 2), comment(`%PDF-1.4\n${SCRIPT}`), JPEG.subarray(2)])
  const trailing = (file: Buffer) => Buffer.concat([file, text(`PK\x03\x04${SCRIPT}`)])
  const valid = { media: 'image', ...both('succeeded'), payload: SCRIPT } as const
  return [
    ...texts('image', IMAGE_TEXTS),
    ...texts('video', VIDEO_TEXTS),
    { name: 'squeezed-svg.png', media: 'image', bytes: gzipSync(IMAGE_TEXTS['svg-with-file.png'] ?? ''), ...rejected },
    { name: 'video-as-picture.jpg', media: 'image', bytes: text('\0\0\0\x18ftypisom\0\0\0\0isommp42'), ...rejected },
    { name: 'document-as-picture.png', media: 'image', bytes: text('%PDF-1.4\n'), ...rejected },
    { name: 'picture-as-video.mp4', media: 'video', bytes: PNG, ...rejected },
    { name: 'picture-as-document.pdf', media: 'document', bytes: PNG, ...rejected },
    { name: 'picture-with-document-mark.pdf', media: 'document', bytes: commented, ...rejected },
    { name: 'picture-with-document-mark.jpg', bytes: commented, ...valid },
    { name: 'picture-then-archive.png', bytes: trailing(PNG), output: 'png', ...valid },
    { name: 'picture-then-script.gif', bytes: trailing(GIF), output: 'gif', ...valid },
    { name: 'picture-then-archive.jpg', bytes: trailing(JPEG), ...valid },
    {
      // As JavaScript, this file is valid: `GIF89a/*` is a name and the start of a comment.
      name: 'picture-that-is-a-script.gif',
      media: 'image',
      bytes: Buffer.concat([patched(GIF, 6, text('/*')), text(`*/=1;${SCRIPT}`)]),
      ...both('succeeded'),
      payload: SCRIPT,
    },
  ]
}
