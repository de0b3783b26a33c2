import type { Transporter } from 'nodemailer'

type Mail = { to: string; subject: string; text: string }

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

export class Mailer {
  readonly #url: string
  readonly #from: string
  #transport: Promise<Transporter> | undefined

  constructor(smtpUrl: string, from: string) {
    this.#url = smtpUrl
    this.#from = from
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    const transport = await this.#load()
    await transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      subject,
      text,
      // `nodemailer` must not fetch links or read files that an email names.
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
