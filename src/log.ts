import { type Logger, pino } from 'pino'
import { PinoPretty } from 'pino-pretty'

export type { Logger } from 'pino'

/**
 * The log of a process: JSON lines on stdout, readable ones on a terminal.
 *
 * Keys, secrets and bodies are never handed to it; what might hold one by accident is struck out.
 */
export function createLog(level: string, role: string): Logger {
  const options = {
    level,
    base: { role, pid: process.pid },
    redact: ['req.headers.authorization', '*.authorization', '*.secretKey', '*.databaseUrl'],
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return process.stdout.isTTY ? pino(options, PinoPretty({ ignore: 'pid', singleLine: true })) : pino(options)
}
