import type { SecurityCheck } from './remove-check.ts'
import { at, checksOf, swap } from './remove-check.ts'

const ADDRESS = ['packages/server/src/outbound/guard/public-address.test.ts']
const CHECK = ['packages/server/src/outbound/guard/check-url.test.ts']
const SHAPE = ['packages/server/src/outbound/guard/url-shape.test.ts']
const DOWNLOAD = ['packages/server/src/outbound/fetch/download.test.ts']
const TINY_CHUNKS = ['packages/server/src/outbound/fetch/tiny-chunks.test.ts']
const WORLD = ['packages/server/src/outbound/simulated-internet.test.ts']

export const OUTBOUND: readonly SecurityCheck[] = [
  ...checksOf(SHAPE, {
    'a URL that is too long': swap(['_ > _', 'false']),
    'half a character in a URL': 'never',
    'whitespace, control characters, and backslashes in a URL': 'never',
    'a URL without its slashes, which a parser adds': swap(['\\/\\/([^/?#]+', '[\\\\/]*([^/?#]*']),
    'a user name in a URL': 'never',
    'an invalid host name': 'never',
    'a port other than the default': 'never',
    'an internal name': 'never',
    'a neighboring port of an exempt host': swap([
      'allowed.has(`${hostname}:${port}`',
      '[...allowed].some((host) => host.startsWith(`${hostname}:`)',
    ]),
  }),
  ...checksOf(ADDRESS, {
    'a zone of this machine in an address': swap([" || ip.includes('%')", '']),
    'the library’s check of an address': swap(["address.range() === 'unicast'", 'true']),
    'the IPv4 special-purpose blocks': swap([
      '!isWithin(address, isIPv4(address) ? SPECIAL_4 :',
      'isIPv4(address) || !isWithin(address,',
    ]),
    'the IPv6 special-purpose blocks': at('the IPv4 special-purpose blocks', swap(['SPECIAL_6', '[]'])),
    'unallocated IPv6 space': swap(['_(_) || _(_, _)', 'true']),
    'an IPv4 address inside ISATAP': swap(['_(_) || !_(_)', 'true']),
    'all checks must agree': swap(['every', 'some']),
  }),
  ...checksOf(CHECK, {
    'a private address in a URL': swap(['0', '0\n  if (literal) return { ok: true, addresses: [url.hostname] }']),
    'a private address behind a name': swap([' ?', ' || !literal ?']),
    'a private address among public ones': at(
      'a private address behind a name',
      swap([
        'addresses.find((address) => !isPublicAddress(address)',
        '(addresses.every((address) => !isPublicAddress(address)) ? addresses[0] : undefined',
      ]),
    ),
    'a network that the operator blocks': swap(['?? false', '&& false']),
    'reserved names': 'never',
    'a name server that does not respond': swap(['cancel, options.timeoutMs', '() => {}, 600_000']),
  }),
  ...checksOf(WORLD, {
    '/etc/hosts and search domains': 'gone',
    "threads blocked in the system's resolver": 'gone',
    'a name that changes its address': 'gone',
  }),
  ...checksOf(['packages/server/src/outbound/send.test.ts'], {
    'a connection that reached a private address': 'never',
  }),
  ...checksOf(['packages/server/src/outbound/kept-connections.test.ts'], {
    'a kept connection of another account': swap(['accountId', '0']),
    'a kept connection to a former address of a name': swap(['addresses.toSorted().join()', "''"]),
  }),
  ...checksOf(['packages/server/src/outbound/tls.test.ts'], {
    'an untrusted certificate, or one of another name': swap(['servername:', 'rejectUnauthorized: false, servername:']),
  }),
  ...checksOf(['packages/server/src/outbound/put.test.ts'], {
    'a destination at a private address': swap([
      'checkUrl(url, network',
      'checkUrl(url, { ...network, allowedHosts: new Set([...network.allowedHosts, `${new URL(url).hostname}:80`]) }',
    ]),
    'a destination that reads a file forever': swap(['options.deadlineMs', '600_000']),
    'a destination that stops reading a file': swap(['stallMs', '600_000']),
    'a response before the file was received': 'never',
  }),
  ...checksOf(DOWNLOAD, {
    'a proxy from the environment, and connections that accounts share': 'gone',
    'endless headers': swap(['MAX_HEADER_BYTES', '2 ** 30']),
    'interim responses without end': 'never',
    'a response that switches protocols': 'gone',
    'a connection that is never accepted': swap(['call.connectMs', '600_000']),
    'a server that never responds': swap(['call.headersMs', '600_000']),
    'endless redirects': swap([' MAX_REDIRECTS', ' 20']),
    'a malformed redirect that a parser repairs': swap(['throw', 'return target.url.href\n  if (false) throw']),
    'endless retries': swap(['0', '-5']),
    'whitespace and backslashes in a redirect': 'gone',
  }),
  ...checksOf(WORLD, {
    'a redirect to a private address': swap([
      ', options.',
      ', redirected ? { ...options.network, allowedHosts: new Set([`${new URL(text).hostname}:80`]) } : options.',
    ]),
  }),
  ...checksOf(DOWNLOAD, {
    'a Content-Length over the limit': 'always',
    'received bytes over the limit': 'never',
    'decompressed bytes over the limit': 'never',
    'an unsupported compression': swap([')', ') ?? response.body']),
    'a compressed body whose response is cut off': 'never',
    'a response that ended before it was read': swap(['this.#response.body.destroyed', 'false']),
  }),
  ...checksOf(TINY_CHUNKS, {
    'single bytes that a paused socket buffers': 'gone',
    'single bytes that are read as fast as they arrive': swap(['else if (_ > 0) _()', '']),
    'reads during a pause': swap(['this.#response.socket.pause()', 'void 0']),
    'an endless pause': 'never',
    'framing without a body': swap(['read > FREE_FRAMING_BYTES + MAX_FRAMING * this.#bytes', 'read < 0']),
    'many bodies in tiny chunks at once': swap(['Math.max(now, _)', 'now']),
  }),
  ...checksOf(DOWNLOAD, {
    'a server that stops sending': swap(["return slow('stopped sending')", 'return']),
    'a server that sends byte by byte': swap(["return slow('sends too slowly')", 'return']),
    'an existing file that is overwritten': swap(['wx', 'w']),
  }),
  ...checksOf(['packages/server/src/outbound/fetch/range.test.ts'], {
    'ranges of two versions of a file': 'never',
    'another range than the requested one': 'never',
    'a range of a file over the limit': 'never',
    'a range with more bytes than announced': 'never',
    'a range with fewer bytes than announced': 'never',
  }),
  ...checksOf(['packages/server/src/outbound/fetch/sparse-file.test.ts'], {
    'a range that arrives after its file was closed': 'gone',
  }),
  ...checksOf(['packages/server/src/outbound/post.test.ts'], {
    'a webhook to a private address': swap([
      'options.network',
      '{ ...options.network, allowedHosts: new Set([...options.network.allowedHosts, `${new URL(url).hostname}:80`]) }',
    ]),
    'a response that never ends': swap(['finish, RESPONSE_MS', '() => {}, 0']),
    'a response of any size': swap(['alloc(_)', 'alloc(2 ** 20)']),
  }),
]
