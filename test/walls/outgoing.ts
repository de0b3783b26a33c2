import { type Wall, wallsOf } from './wall.ts'

const ADDRESS = ['src/sources/public-address.test.ts']
const CHECK = ['src/sources/check-url.test.ts']
const SHAPE = ['src/sources/url-shape.test.ts']
const DOWNLOAD = ['src/sources/download.test.ts']
const CRUMBS = ['src/sources/crumbs.test.ts']
const WORLD = ['src/sources/public-world.test.ts']

/** Where the service goes to by itself, and what may come back. */
export const OUTGOING: readonly Wall[] = [
  ...wallsOf('src/sources/url-shape.ts', SHAPE, {
    'a URL that is too long': ['text.length > MAX_URL_LENGTH &&', 'false &&'],
    'half a character in a URL': ['if (!text.isWellFormed())', 'if (false)'],
    'blanks, controls and backslashes in a URL': ['if (!VISIBLE.test(text))', 'if (false)'],
    'a URL whose slashes a parser adds': ['/^https?:\\/\\/([^/?#]+)/i.exec', '/^https?:[\\\\/]*([^/?#]*)/i.exec'],
    'a user name in a URL': ["if (authority.includes('@'))", 'if (false)'],
    'a host that is no host name': ['if (isIP(hostname) === 0 && !HOST.test(hostname))', 'if (false)'],
    'another port than the default': ["if (parsed.port !== '' && !exempt)", 'if (false)'],
    'an internal name': ['if (!exempt && isInternalName(hostname))', 'if (false)'],
  }),
  ...wallsOf('src/sources/allowed-hosts.ts', SHAPE, {
    'a neighbouring port of an exempt host': [
      'allowed.has(`${hostname}:${port}`)',
      '[...allowed].some((host) => host.startsWith(`${hostname}:`))',
    ],
  }),
  ...wallsOf('src/sources/public-address.ts', ADDRESS, {
    'a zone of this machine in an address': [" || ip.includes('%')", ''],
    'the library’s opinion of an address': ["address.range() === 'unicast'", 'true'],
    'the IPv4 special-purpose blocks': [
      '!isWithin(address, isIPv4(address) ? SPECIAL_4 : SPECIAL_6)',
      'isIPv4(address) || !isWithin(address, SPECIAL_6)',
    ],
    'the IPv6 special-purpose blocks': [
      'isIPv4(address) ? SPECIAL_4 : SPECIAL_6)',
      'isIPv4(address) ? SPECIAL_4 : [])',
    ],
    'IPv6 space that nobody has': ['isIPv4(address) || isWithin(address, ALLOCATED_6)', 'true'],
    'an IPv4 address hidden by ISATAP': ['isIPv4(address) || !isIsatap(address)', 'true'],
    'all opinions must agree': ['Object.values(OPINIONS).every(', 'Object.values(OPINIONS).some('],
  }),
  ...wallsOf('src/sources/resolve.ts', CHECK, {
    'a private address that a URL names': [
      'const literal = isIP(url.hostname) !== 0',
      'const literal = isIP(url.hostname) !== 0\n  if (literal) return { ok: true, addresses: [url.hostname] }',
    ],
    'a private address behind a name': [
      'url.exempt ? undefined : addresses.find(',
      'url.exempt || !literal ? undefined : addresses.find(',
    ],
    'a private address among public ones': [
      'addresses.find((address) => !isPublicAddress(address))',
      '(addresses.every((address) => !isPublicAddress(address)) ? addresses[0] : undefined)',
    ],
    'names that no name server is to hear': ['if (/(?:^|\\.)(?:invalid|onion)$/.test(url.hostname))', 'if (false)'],
    'a name server that says nothing': [
      'const timer = setTimeout(cancel, options.timeoutMs)',
      'const timer = setTimeout(() => {}, 600_000)',
    ],
  }),
  ...wallsOf('src/sources/resolve.ts', WORLD, {
    '/etc/hosts and search domains': ['if (!url.exempt) return queryServers(url.hostname, network, options)', ''],
    'threads that wait for the system’s resolver': ['lookups.set(hostname, running)', ''],
  }),
  ...wallsOf('src/sources/send.ts', WORLD, {
    'a name that changes its address': ['    lookup: pinned,\n', ''],
  }),
  ...wallsOf('src/sources/send.ts', ['src/sources/send.test.ts'], {
    'a connection that ends at a private address after all': [
      "if (!target.url.exempt && !isPublicAddress(socket.remoteAddress ?? ''))",
      'if (false)',
    ],
  }),
  ...wallsOf('src/sources/send.ts', ['src/sources/tls.test.ts'], {
    'a certificate that is not trusted, or of another name': [
      '    ...(url.secure && {\n',
      '    ...(url.secure && {\n      rejectUnauthorized: false,\n',
    ],
  }),
  ...wallsOf('src/sources/send.ts', DOWNLOAD, {
    'a proxy from the environment, and connections that accounts share': ['    agent: false,\n', ''],
    'headers without end': ['    maxHeaderSize: MAX_HEADER_BYTES,\n', '    maxHeaderSize: 2 ** 30,\n'],
    'interim answers without end': ['if (interimAnswers > MAX_INTERIM_ANSWERS)', 'if (false)'],
    'an answer that switches protocols': ["fail('answered with status 101')", ''],
    'a connection that nobody accepts': [
      "fail('did not accept a connection in time'), call.connectMs)",
      "fail('did not accept a connection in time'), 600_000)",
    ],
    'a server that never answers': [
      "fail('did not answer in time'), call.headersMs)",
      "fail('did not answer in time'), 600_000)",
    ],
  }),
  ...wallsOf('src/sources/fetch.ts', DOWNLOAD, {
    'redirects without end': ['if (redirects === MAX_REDIRECTS)', 'if (redirects === 20)'],
    'a redirect that a parser would repair': [
      "if (next === undefined) throw refused('url_invalid'",
      "if (next === undefined) return target.url.href\n  if (false) throw refused('url_invalid'",
    ],
    'tries without end': ['if (attempts.left === 0 ||', 'if (attempts.left === -5 ||'],
  }),
  ...wallsOf('src/sources/redirect.ts', DOWNLOAD, {
    'blanks and backslashes in a redirect': ['if (/[\\s\\\\]/.test(text)) return undefined', ''],
  }),
  ...wallsOf('src/sources/fetch.ts', WORLD, {
    'a redirect to a private address': [
      'const target = await checkUrl(text, options.network, {',
      'const target = await checkUrl(text, redirected ? { ...options.network, allowedHosts: new Set([`${new URL(text).hostname}:80`]) } : options.network, {',
    ],
  }),
  ...wallsOf('src/sources/pour.ts', DOWNLOAD, {
    'a length that is announced over the cap': ['if (declared <= options.maxBytes) return', 'return'],
    'bytes on the wire over the cap': ['if (this.#wireBytes > this.#options.maxBytes)', 'if (false)'],
    'inflated bytes over the cap': ['if (this.#bytes > this.#options.maxBytes)', 'if (false)'],
    'a compression nobody asked for and we do not know': [
      'const body = decodedBody(answer)\n',
      'const body = decodedBody(answer) ?? answer.body\n',
    ],
    'a compressed body whose answer is cut off': ['if (!this.#answer.response.complete)', 'if (false)'],
    'an answer that broke off before it was read': ['else if (this.#answer.body.destroyed)', 'else if (false)'],
    'a body that breaks off': [
      "this.#body.on('error', (cause) => this.#fail(reasonOf(cause), cause))\n    this.#body.once('close', () => this.#isEnded || this.#fail('its server broke off the transfer'))",
      "this.#body.on('error', () => this.#end())",
    ],
  }),
  ...wallsOf('src/sources/send.ts', CRUMBS, {
    'single bytes that a stopped socket collects': ['    highWaterMark: 1,\n', ''],
  }),
  ...wallsOf('src/sources/joined-body.ts', CRUMBS, {
    'single bytes that are read as fast as they come': ['else if (this.#owed > 0) this.#rest()', ''],
    'a rest in which more is read': ['this.#response.socket.pause()', 'void 0'],
    'a rest without end': ['if (restMs > LONGEST_REST_MS)', 'if (false)'],
    'framing without a body': ['return read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes', 'return read < 0'],
  }),
  ...wallsOf('src/sources/toll.ts', CRUMBS, {
    'many bodies in crumbs at once': [
      'this.#paidUntil = Math.max(now, this.#paidUntil) + pieces / this.#piecesPerMs',
      'this.#paidUntil = now + pieces / this.#piecesPerMs',
    ],
  }),
  ...wallsOf('src/domain/joined-chunks.ts', ['src/domain/joined-chunks.test.ts'], {
    'single bytes that are objects': ['if (chunk.length < KEPT_BYTES) return this.#copy(chunk)', ''],
    'a slab for each byte between large chunks': [
      '    this.#from = this.#to\n  }\n\n  #renew',
      '    this.#slab = Buffer.alloc(0)\n    this.#from = 0\n    this.#to = 0\n  }\n\n  #renew',
    ],
  }),
  ...wallsOf('src/sources/pace.ts', DOWNLOAD, {
    'a server that stops sending': ["return slow('stopped sending')", 'return'],
    'a server that sends byte by byte': ["return slow('sends too slowly')", 'return'],
  }),
  ...wallsOf('src/sources/deadline.ts', DOWNLOAD, {
    'a download that never ends': [
      'setTimeout(() => this.#controller.abort(expired()), ms)',
      'setTimeout(() => {}, 0)',
    ],
  }),
  ...wallsOf('src/sources/new-file.ts', DOWNLOAD, {
    'a small file over one that is there': ["openSync(this.#path, 'wx', MODE)", "openSync(this.#path, 'w', MODE)"],
    'a large file over one that is there': ["await open(this.#path, 'wx', MODE)", "await open(this.#path, 'w', MODE)"],
  }),
  ...wallsOf('src/sources/range.ts', ['src/sources/range.test.ts'], {
    'parts of two states of a file': ['if (!isSame(part.of, version))', 'if (false)'],
    'a part that is not the one asked for': [
      'if (start !== part.offset || length < 1 || length > part.length || end >= total)',
      'if (false)',
    ],
    'a part of a file over the cap': ['if (version.total > options.maxBytes)', 'if (false)'],
    'a part with more bytes than announced': ['if (bytes > length) throw', 'if (false) throw'],
    'a part with fewer bytes than announced': ['if (bytes < length) throw', 'if (false) throw'],
  }),
  ...wallsOf('src/sources/post.ts', ['src/sources/post.test.ts'], {
    'a webhook to a private address': [
      'const target = await checkUrl(url, options.network, {',
      'const target = await checkUrl(url, { ...options.network, allowedHosts: new Set([...options.network.allowedHosts, `${new URL(url).hostname}:80`]) }, {',
    ],
    'a receiver that never answers': [
      [
        'using deadline = new Deadline(options.signal, options.deadlineMs,',
        'using deadline = new Deadline(options.signal, 600_000,',
      ],
      ['    headersMs: options.deadlineMs,\n', '    headersMs: 600_000,\n'],
    ],
    'an answer that never ends': [
      'const timer = setTimeout(finish, ANSWER_MS)',
      'const timer = setTimeout(() => {}, 0)',
    ],
    'an answer of any size': ['Buffer.alloc(ANSWER_BYTES)', 'Buffer.alloc(2 ** 20)'],
  }),
  ...wallsOf('src/webhooks/deliver.ts', ['test/architecture.test.ts'], {
    'another way out than the fetcher': [
      'const startedAt = new Date()',
      'const startedAt = new Date()\n  if (startedAt.getTime() < 0) await fetch(url)',
    ],
  }),
]
