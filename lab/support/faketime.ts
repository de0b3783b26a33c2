import { chmod, writeFile } from 'node:fs/promises'

export const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`

/** A clock with a settable offset to the machine's clock, in seconds. */
export type SettableClock = { environment: Record<string, string>; set: (seconds: number) => Promise<void> }

/** Creates a clock. Programs use it if they start with its environment variables and can read the file `path`. */
export async function makeClock(path: string): Promise<SettableClock> {
  const set = (seconds: number) => writeFile(path, `${seconds < 0 ? '' : '+'}${seconds}\n`)
  await set(0)
  await chmod(path, 0o644)
  return {
    set,
    environment: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_NO_CACHE: '1',
      // Use the real monotonic clock, which does not change if a clock jumps.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  }
}
