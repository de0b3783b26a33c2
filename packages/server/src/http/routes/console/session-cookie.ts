import type { FastifyRequest } from 'fastify'

const MAX_AGE_SECONDS = 90 * 86_400

type SessionCookie = {
  read: (call: Pick<FastifyRequest, 'headers'>) => string | undefined
  write: (token: string) => string
  erase: () => string
}

/** Reads and writes the cookie. With https, its name starts with `__Host-`, which browsers accept only over https. */
export function sessionCookie(baseUrl: string): SessionCookie {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  const name = isSecure ? '__Host-mediamill' : 'mediamill'
  const flags = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    read: ({ headers }) => cookiesIn(headers.cookie ?? '').find(([sent]) => sent === name)?.[1],
    write: (token) => `${name}=${token}; ${flags}; Max-Age=${MAX_AGE_SECONDS}`,
    erase: () => `${name}=; ${flags}; Max-Age=0`,
  }
}

const cookiesIn = (header: string) =>
  header.split(';').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const
  })
