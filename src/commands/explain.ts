import { OperatorError } from '../domain/errors.ts'

/** What an operator reads when a command fails: one line where the reason is known, the whole error where it is a bug. */
export function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  if (isListenError(error)) {
    const where = `${error.address ?? 'this address'}, port ${error.port ?? ''}`
    switch (error.code) {
      case 'EADDRINUSE':
        return `${where} is in use: choose another PORT, or stop the program that listens there.`
      case 'EACCES':
        return `${where} needs more rights than this account has: choose a PORT from 1024 on.`
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        return `${where} is not an address of this machine: choose another HOST.`
      default:
        return `Listening on ${where} failed (${error.code}).`
    }
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

type ListenError = Error & { code: string; address?: string; port?: number }

function isListenError(error: unknown): error is ListenError {
  return error instanceof Error && 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind')
}
