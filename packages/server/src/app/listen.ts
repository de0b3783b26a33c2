import { OperatorError } from '@mediamill/contract/domain/errors'

type Listening = { listen: (at: { host: string; port: number }) => Promise<string>; log: { level: string } }

/** Listens. For `localhost`, uses 127.0.0.1: Fastify would open a second server, which lacks the connection limits. */
export async function listenAt(
  server: Listening,
  setting: string,
  at: { host: string; port: number },
): Promise<string> {
  // The role logs its address when it is ready, so Fastify must not log the address.
  const { level } = server.log
  server.log.level = 'silent'
  try {
    return await server.listen({ ...at, host: at.host === 'localhost' ? '127.0.0.1' : at.host })
  } catch (error) {
    if (!isListenError(error)) throw error
    throw new OperatorError(reasonOf(error, setting, `${at.host}, port ${at.port}`), { cause: error })
  } finally {
    server.log.level = level
  }
}

function reasonOf({ code }: ListenError, setting: string, where: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is in use: choose another ${setting}, or stop the program that listens there.`
    case 'EACCES':
      return `${where} needs more privileges than this user has: choose a ${setting} of at least 1024.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where} is not an address of this machine: choose another HOST.`
    default:
      return `Listening on ${where} failed (${code}): choose another ${setting} or HOST.`
  }
}

type ListenError = Error & { code: string }

function isListenError(error: unknown): error is ListenError {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false
  return ['listen', 'bind', 'getaddrinfo'].includes(String(error.syscall))
}
