import type { FastifyReply } from 'fastify'

/** Returns the items of an Accept header in their order and in lower case, without parameters and without `q=0`. */
export function acceptedItems(header = ''): ReadonlySet<string> {
  const items = header.toLowerCase().split(',')
  return new Set(
    items.flatMap((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name]
    }),
  )
}

/** Returns whether a header accepts a type by name or group, such as `image/*`. Ignores the wildcard for all types. */
export function acceptsFileType(type: string, accept?: string): boolean {
  const named = acceptedItems(accept)
  const group = type.startsWith('application/') ? type : `${type.slice(0, type.indexOf('/'))}/*`
  return named.has(type) || named.has(group)
}

/** Returns whether If-None-Match matches (RFC 9110, 13.1.2): it is `*`, or it contains the tag, strong or weak. */
export function isKnown(etag: string, ifNoneMatch = ''): boolean {
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes(etag) || known.includes('*')
}

export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary')
  if (others !== name) reply.header('vary', others === undefined ? name : `${String(others)}, ${name}`)
}
