import type { Transporter } from 'nodemailer'

/** A mail in plain text. */
export type Mail = { to: string; subject: string; text: string }

/** How long a mail server may take to connect, to greet and to answer. */
const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

/** Sends mail through the operator's server. The package is loaded by the first mail. */
export class Mailer {
  readonly #url: string
  readonly #from: string
  #transport: Promise<Transporter> | undefined

  constructor(smtpUrl: string, from: string) {
    this.#url = smtpUrl
    this.#from = from
  }

  /** Hands a mail to the server. Throws what kept it from taking it. */
  async send({ to, subject, text }: Mail): Promise<void> {
    const transport = await this.#load()
    await transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      // A link must never be fetched by what writes the mail, nor a file be read.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  async #load(): Promise<Transporter> {
    this.#transport ??= import('nodemailer').then(({ createTransport }) =>
      createTransport({
        url: this.#url,
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
      }),
    )
    return await this.#transport
  }
}
