import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'

/** The complete configuration of fontconfig. It contains no font folders, so no font of the machine is used. */
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

/** The path of the configuration. The supervisor sets the same path for every engine. */
const PLACE = join(tmpdir(), 'fonts.conf')

const known = new Set<string>()

/** Registers a bundled font. Writes the configuration first, because fontconfig reads it at the first text. */
export async function makeFontKnown({ path, family }: { path: string; family: string }): Promise<void> {
  if (known.has(path)) return
  if (known.size === 0) writeFileSync(PLACE, CONFIGURATION)
  const probe = sharp({ text: { text: '1', font: `${family}, 10`, fontfile: path, dpi: 72 } })
  await probe.raw().toBuffer()
  known.add(path)
}
