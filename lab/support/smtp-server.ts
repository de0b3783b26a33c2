import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** A received mail. `from` and `to` are the addresses in the SMTP envelope. `text` includes the headers. */
type ReceivedMail = { from: string; to: string[]; text: string }

/** A mail server on loopback that stores received mails. Supports the parts of RFC 5321 that a client needs. */
export type SmtpServer = AsyncDisposable & {
  url: string
  mails: ReceivedMail[]
  arrived: (count: number) => Promise<ReceivedMail[]>
}

/** Starts a mail server. It rejects senders and recipients that start with `refused`. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  let waiting: { count: number; resolve: () => void }[] = []
  const server = createServer((socket) => {
    let pending = ''
    let mail: ReceivedMail = { from: '', to: [], text: '' }
    let isData = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 localhost ready')
    const take = (line: string) => {
      if (isData) {
        if (line !== '.') {
          mail.text += `${line.replace(/^\./, '')}\n`
          return
        }
        isData = false
        mails.push(mail)
        mail = { from: '', to: [], text: '' }
        for (const { count, resolve } of waiting) if (mails.length >= count) resolve()
        waiting = waiting.filter(({ count }) => mails.length < count)
        say('250 taken')
        return
      }
      const verb = line.slice(0, 4).toUpperCase()
      const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
      if (verb === 'MAIL') mail.from = address
      if ((verb === 'MAIL' || verb === 'RCPT') && address.startsWith('refused')) {
        say('550 no such mailbox')
        return
      }
      if (verb === 'RCPT') mail.to.push(address)
      if (verb === 'DATA') {
        isData = true
        say('354 go on')
      } else if (verb === 'QUIT') {
        say('221 bye')
        socket.end()
      } else say('250 fine')
    }
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end)
        pending = pending.slice(end + 2)
        take(line)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    async arrived(count) {
      if (mails.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return mails
    },
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the token of the sign-in link in a received mail. */
export const tokenIn = (text: string): string =>
  /#token=([\w-]{43})/.exec(text.replaceAll('=\n', '').replaceAll('=3D', '='))?.[1] ?? assert.fail(text)
