import type { Wall } from './wall.ts'
import { at, swap, wallsOf } from './wall.ts'

const ADDRESS = ['packages/server/src/outbound/guard/public-address.test.ts']
const CHECK = ['packages/server/src/outbound/guard/check-url.test.ts']
const SHAPE = ['packages/server/src/outbound/guard/url-shape.test.ts']
const DOWNLOAD = ['packages/server/src/outbound/fetch/download.test.ts']
const CRUMBS = ['packages/server/src/outbound/fetch/crumbs.test.ts']
const WORLD = ['packages/server/src/outbound/public-world.test.ts']

/** Where the service goes to by itself, and what may come back. */
export const OUTGOING: readonly Wall[] = [
  ...wallsOf(SHAPE, {
    'a URL that is too long': swap(['_ > _', 'false']),
    'half a character in a URL': 'never',
    'blanks, controls and backslashes in a URL': 'never',
    'a URL whose slashes a parser adds': swap(['\\/\\/([^/?#]+', '[\\\\/]*([^/?#]*']),
    'a user name in a URL': 'never',
    'a host that is no host name': 'never',
    'another port than the default': 'never',
    'an internal name': 'never',
    'a neighbouring port of an exempt host': swap([
      'allowed.has(`${hostname}:${port}`',
      '[...allowed].some((host) => host.startsWith(`${hostname}:`)',
    ]),
  }),
  ...wallsOf(ADDRESS, {
    'a zone of this machine in an address': swap([" || ip.includes('%')", '']),
    'the library’s opinion of an address': swap(["address.range() === 'unicast'", 'true']),
    'the IPv4 special-purpose blocks': swap([
      '!isWithin(address, isIPv4(address) ? SPECIAL_4 :',
      'isIPv4(address) || !isWithin(address,',
    ]),
    'the IPv6 special-purpose blocks': at('the IPv4 special-purpose blocks', swap(['SPECIAL_6', '[]'])),
    'IPv6 space that nobody has': swap(['_(_) || _(_, _)', 'true']),
    'an IPv4 address hidden by ISATAP': swap(['_(_) || !_(_)', 'true']),
    'all opinions must agree': swap(['every', 'some']),
  }),
  ...wallsOf(CHECK, {
    'a private address that a URL names': swap([
      '0',
      '0\n  if (literal) return { ok: true, addresses: [url.hostname] }',
    ]),
    'a private address behind a name': swap([' ?', ' || !literal ?']),
    'a private address among public ones': at(
      'a private address behind a name',
      swap([
        'addresses.find((address) => !isPublicAddress(address)',
        '(addresses.every((address) => !isPublicAddress(address)) ? addresses[0] : undefined',
      ]),
    ),
    'a network that the operator blocks': swap(['?? false', '&& false']),
    'names that no name server is to hear': 'never',
    'a name server that says nothing': swap(['cancel, options.timeoutMs', '() => {}, 600_000']),
  }),
  ...wallsOf(WORLD, {
    '/etc/hosts and search domains': 'gone',
    'threads that wait for the system’s resolver': 'gone',
    'a name that changes its address': 'gone',
  }),
  ...wallsOf(['packages/server/src/outbound/send.test.ts'], {
    'a connection that ends at a private address after all': 'never',
  }),
  ...wallsOf(['packages/server/src/outbound/kept-connections.test.ts'], {
    'a connection that is kept for another account': swap(['accountId', '0']),
    'a connection to an address that is not the name’s any more': swap(['addresses.toSorted().join()', "''"]),
  }),
  ...wallsOf(['packages/server/src/outbound/tls.test.ts'], {
    'a certificate that is not trusted, or of another name': swap([
      'servername:',
      'rejectUnauthorized: false, servername:',
    ]),
  }),
  ...wallsOf(['packages/contract/src/endpoints/destination.test.ts'], {
    'a header that no store reads': 'never',
    'a line break in a header of a destination': 'never',
    'the signature of a destination in what is shown': swap(['{ url, ...headers }', 'output.destination']),
  }),
  ...wallsOf(['packages/server/src/outbound/put.test.ts'], {
    'a destination at a private address': swap([
      'checkUrl(url, network',
      'checkUrl(url, { ...network, allowedHosts: new Set([...network.allowedHosts, `${new URL(url).hostname}:80`]) }',
    ]),
    'a destination that takes a file for ever': swap(['options.deadlineMs', '600_000']),
    'a destination that stops taking a file': swap(['), ms', '), 600_000']),
    'an answer before the file was taken': 'never',
  }),
  ...wallsOf(DOWNLOAD, {
    'a proxy from the environment, and connections that accounts share': 'gone',
    'headers without end': swap(['MAX_HEADER_BYTES', '2 ** 30']),
    'interim answers without end': 'never',
    'an answer that switches protocols': 'gone',
    'a connection that nobody accepts': swap(['call.connectMs', '600_000']),
    'a server that never answers': swap(['call.headersMs', '600_000']),
    'redirects without end': swap([' MAX_REDIRECTS', ' 20']),
    'a redirect that a parser would repair': swap(['throw', 'return target.url.href\n  if (false) throw']),
    'tries without end': swap(['0', '-5']),
    'blanks and backslashes in a redirect': 'gone',
  }),
  ...wallsOf(WORLD, {
    'a redirect to a private address': swap([
      ', options.',
      ', redirected ? { ...options.network, allowedHosts: new Set([`${new URL(text).hostname}:80`]) } : options.',
    ]),
  }),
  ...wallsOf(DOWNLOAD, {
    'a length that is announced over the cap': 'always',
    'bytes on the wire over the cap': 'never',
    'inflated bytes over the cap': 'never',
    'a compression nobody asked for and we do not know': swap([')', ') ?? answer.body']),
    'a compressed body whose answer is cut off': 'never',
    'an answer that broke off before it was read': swap(['this.#answer.body.destroyed', 'false']),
    'a body that breaks off': [
      at('a body that breaks off', swap(['(cause) => this.#fail(reasonOf(cause), cause)', '() => this.#end()'])),
      at('a body that breaks off', 'gone', 1),
    ],
  }),
  ...wallsOf(CRUMBS, {
    'single bytes that a stopped socket collects': 'gone',
    'single bytes that are read as fast as they come': swap(['else if (_ > 0) _()', '']),
    'a rest in which more is read': swap(['this.#response.socket.pause()', 'void 0']),
    'a rest without end': 'never',
    'framing without a body': swap(['read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes', 'read < 0']),
    'many bodies in crumbs at once': swap(['Math.max(now, _)', 'now']),
  }),
  ...wallsOf(['packages/server/src/lib/joined-chunks.test.ts'], {
    'single bytes that are objects': 'gone',
    'a slab for each byte between large chunks': swap([
      'this.#from = this.#to',
      'this.#slab = Buffer.alloc(0)\n    this.#from = 0\n    this.#to = 0',
    ]),
  }),
  ...wallsOf(DOWNLOAD, {
    'a server that stops sending': swap(["return slow('stopped sending')", 'return']),
    'a server that sends byte by byte': swap(["return slow('sends too slowly')", 'return']),
    'a download that never ends': swap(['_(_()), ms', '{}, 0']),
    'a file over one that is there': swap(['wx', 'w']),
  }),
  ...wallsOf(['packages/server/src/outbound/fetch/range.test.ts'], {
    'parts of two states of a file': 'never',
    'a part that is not the one asked for': 'never',
    'a part of a file over the cap': 'never',
    'a part with more bytes than announced': 'never',
    'a part with fewer bytes than announced': 'never',
  }),
  ...wallsOf(['packages/server/src/outbound/fetch/sparse-file.test.ts'], {
    'a part that comes when its file is closed': 'gone',
  }),
  ...wallsOf(['packages/server/src/outbound/post.test.ts'], {
    'a webhook to a private address': swap([
      'options.network',
      '{ ...options.network, allowedHosts: new Set([...options.network.allowedHosts, `${new URL(url).hostname}:80`]) }',
    ]),
    'a receiver that never answers': [
      at('a receiver that never answers', swap(['options.deadlineMs', '600_000'])),
      at('a receiver that never answers', swap(['options.deadlineMs', '600_000']), 1),
    ],
    'an answer that never ends': swap(['finish, ANSWER_MS', '() => {}, 0']),
    'an answer of any size': swap(['alloc(_)', 'alloc(2 ** 20)']),
  }),
  ...wallsOf(['lab/architecture.test.ts'], {
    'a connection that bypasses the fetcher': swap([')', ')\n  if (startedAt.getTime() < 0) await fetch(url)']),
  }),
]
