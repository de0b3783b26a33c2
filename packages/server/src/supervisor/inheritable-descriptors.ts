import { readdirSync, readFileSync } from 'node:fs'

/** The flag of descriptors that programs do not inherit, from asm-generic/fcntl.h. Node.js has no constant for it. */
const O_CLOEXEC = 0o2000000

/**
 * Lists the descriptors that a new program would inherit. The shell or service manager may have left them open. Node.js
 * opens its own files with `O_CLOEXEC`.
 */
export function inheritableDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd')
    .map(Number)
    .sort((one, other) => one - other)
    .filter(isInheritable)
}

function isInheritable(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & O_CLOEXEC) === 0
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false
  }
}
