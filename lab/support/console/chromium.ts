import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'
import { shared } from '../shared.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const found = [process.env['CHROMIUM_PATH'], ...PLACES].find((path) => path !== undefined && existsSync(path))

/** The reason to skip tests of pages, or `false`. With `REQUIRE_BROWSER=1`, as in CI, these tests fail instead. */
export const WITHOUT_BROWSER: string | false =
  found !== undefined || process.env['REQUIRE_BROWSER'] === '1'
    ? false
    : 'requires Chromium: run apt-get install chromium, or set CHROMIUM_PATH'

export async function launchChromium({ fontSize = 16 } = {}): Promise<Browser> {
  if (found === undefined) throw new Error('Chromium is not installed, and REQUIRE_BROWSER=1 requires it')
  return await chromium.launch({
    executablePath: found,
    args: [
      // Chromium's sandbox does not work as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--blink-settings=defaultFontSize=${fontSize}`,
    ],
  })
}

/** Start the service before the browser, so that the browser closes first. Its open calls would delay the stop. */
export const sharedBrowser = async (): Promise<Browser> => shared(await launchChromium())
