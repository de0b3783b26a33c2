import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'

/**
 * The whole configuration of fontconfig: no folder of fonts, and nothing of the machine's. Letters keep the shapes that
 * their font gives them at every size.
 */
const CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <reset-dirs/>
  <cachedir>${join(tmpdir(), 'no-font-cache')}</cachedir>
  <config><rescan><int>0</int></rescan></config>
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`

/** Where every engine looks for it: see `packages/server/src/supervisor/isolation/command.ts`. */
const PLACE = join(tmpdir(), 'fonts.conf')

/** Fonts that this process has, by their paths. */
const known = new Set<string>()

/**
 * Makes a font of ours known to this process, by its file.
 *
 * fontconfig reads its configuration when the first text is drawn, which is here. It lists what lies in
 * /usr/share/fontconfig/conf.avail as well, where it may; that is only parsed, for programs that show it.
 */
export async function makeFontKnown({ path, family }: { path: string; family: string }): Promise<void> {
  if (known.has(path)) return
  if (known.size === 0) writeFileSync(PLACE, CONFIGURATION)
  const probe = sharp({ text: { text: '1', font: `${family}, 10`, fontfile: path, dpi: 72 } })
  await probe.raw().toBuffer()
  known.add(path)
}
