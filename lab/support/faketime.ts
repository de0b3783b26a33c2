import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

/** A clock with a settable offset to the machine's clock, in seconds. */
export type SettableClock = { environment: Record<string, string>; set: (seconds: number) => Promise<void> }

/** Creates a clock in the folder `path`. Programs use the clock if they get its environment and can read the folder. */
export async function makeClock(path: string): Promise<SettableClock> {
  await mkdir(path)
  await chmod(path, 0o755)
  // libfaketime reads this file again and again, from the folder in HOME. A worker removes the variables FAKETIME_*.
  const file = join(path, '.faketimerc')
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  await set(0)
  await chmod(file, 0o644)
  return {
    set,
    environment: {
      LD_PRELOAD: LIBRARY,
      HOME: path,
      FAKETIME_NO_CACHE: '1',
      // Use the real monotonic clock, which does not change if a clock jumps.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
