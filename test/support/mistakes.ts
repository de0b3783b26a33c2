import { operationsOn } from './operation-table.ts'

/** Who makes a mistake: an account with credit unless told otherwise. */
type Caller = 'paid' | 'free' | 'poor' | 'suspended' | 'nobody' | 'stranger'

/** A call that beginners make, and the message that gets them further. */
export type Mistake = {
  what: string
  method?: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  caller?: Caller
  /** The answer's; or, where the call is accepted, that of the request that fails. */
  message: string
}

const PUBLIC = 'https://1.1.1.1/a.jpg'
const process = (body: object, message: string, what: string): Mistake => ({
  what,
  path: '/v1/images/process',
  body,
  message,
})
const operations = (list: unknown, message: string, what: string) =>
  process({ source: PUBLIC, operations: list }, message, what)
const read = (source: unknown, message: string, what: string): Mistake => ({
  what,
  path: '/v1/images/read',
  body: { source },
  message,
})
const json = (body: string, message: string, what: string): Mistake => ({
  what,
  path: '/v1/images/read',
  body,
  message: `The body is not valid JSON: ${message}.`,
})

const PAGES = 'GET /docs shows what there is, GET /v1/openapi.json lists it for programs.'
const FILES_ELSEWHERE =
  'Files are not sent in this call: put the file where the service can fetch it, or send it to POST /v1/uploads first'
const AS_JSON = 'Send the body as JSON, with the header Content-Type: application/json'
const OF_IMAGES = `${operationsOn('image').slice(0, -1).join(', ')} and ${operationsOn('image').at(-1)}`
const OF_RESIZE = 'resize takes width, height, preserve_aspect_ratio and crop_center.'
const OF_PROCESS = 'images/process takes source, webhook_url, customer, metadata, operations and output.'
const IMAGES_TAKEN = 'images/read takes JPEG, PNG, GIF, WEBP, TIFF, BMP, HEIC and AVIF.'

/** The forty typical mistakes, some in several ways; `files` is where the sources lie that are at fault themselves. */
export const mistakes = (files: (path: string) => string): Mistake[] => [
  {
    what: 'no key',
    path: '/v1/images/read',
    caller: 'nobody',
    message: 'Send your API key in the header Authorization: Bearer <API_KEY>.',
  },
  {
    what: 'a wrong key',
    path: '/v1/images/read',
    caller: 'stranger',
    message: 'This API key is not valid, or it was revoked. Use another key of your account.',
  },
  {
    what: 'a path without /v1',
    path: '/images/process',
    message: `There is nothing at this path. Did you mean POST /v1/images/process? ${PAGES}`,
  },
  {
    what: 'a slash at the end',
    method: 'GET',
    path: '/v1/account/',
    message: `There is nothing at this path. Did you mean GET /v1/account? ${PAGES}`,
  },
  {
    what: 'POST on the list',
    path: '/v1/requests',
    message: `This path takes GET, not POST. A request is started at its endpoint, such as POST /v1/images/process. ${PAGES}`,
  },
  {
    what: 'another word for abort',
    path: '/v1/requests/12/cancel',
    message: `There is nothing at this path. Did you mean POST /v1/requests/{id}/abort? ${PAGES}`,
  },
  {
    what: 'a misspelt path',
    path: '/v1/image/process',
    message: `There is nothing at this path. Did you mean POST /v1/images/process? ${PAGES}`,
  },
  {
    what: 'an operation as a path',
    path: '/v1/images/resize',
    message: `There is nothing at this path. Did you mean POST /v1/images/process or POST /v1/images/read? ${PAGES}`,
  },
  {
    what: 'GET on an endpoint',
    method: 'GET',
    path: '/v1/images/process',
    message: `This path takes POST, not GET. ${PAGES}`,
  },
  {
    what: 'a form',
    path: '/v1/images/read',
    body: 'source=a',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    message: `${AS_JSON}.`,
  },
  {
    what: 'a file as multipart',
    path: '/v1/images/read',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    message: `${FILES_ELSEWHERE}. ${AS_JSON}, which names the file as source.`,
  },
  {
    what: 'a file as it is',
    path: '/v1/images/read',
    body: 'x',
    headers: { 'content-type': 'image/jpeg' },
    message: `${FILES_ELSEWHERE}. ${AS_JSON}, which names the file as source.`,
  },
  {
    what: 'another charset',
    path: '/v1/images/read',
    body: '{}',
    headers: { 'content-type': 'application/json; charset=iso-8859-1' },
    message: 'The Content-Type names another charset than UTF-8. Send the body in UTF-8.',
  },
  json(
    '{"source": "x",}',
    'look at line 1, column 16; no comma stands before a closing bracket, and every bracket closes its own kind',
    'a trailing comma',
  ),
  json(
    "{'source': 'x'}",
    'look at line 1, column 2; names and texts stand between double quotation marks',
    'single quotation marks',
  ),
  json('{"source": NaN}', 'look at line 1, column 12; JSON has no such value', 'NaN'),
  json('{"source": "x"} // mine', 'look at line 1, column 17; JSON has no comments', 'a comment'),
  json('source=x', 'look at line 1, column 1; names and texts stand between double quotation marks', 'a form as JSON'),
  json('{"source": "x"', 'it ends too early', 'JSON that breaks off'),
  json('', 'it is empty', 'an empty body'),
  { what: 'an array', path: '/v1/images/read', body: [], message: 'The body must be a JSON object.' },
  read(
    '/home/me/photo.jpg',
    'source: The URL must begin with http:// or https:// and a host. A file of yours goes to POST /v1/uploads first; its answer says what to send as source.',
    'a local path',
  ),
  read(
    `file:///C:/photo.jpg`,
    'source: The URL must begin with http:// or https:// and a host. A file of yours goes to POST /v1/uploads first; its answer says what to send as source.',
    'a local path as a URL',
  ),
  read(
    'upl_5d41402abc4b2a76b9719d911017c592',
    'source: The URL must begin with http:// or https:// and a host. Send an upload as upload:upl_5d41402abc4b2a76b9719d911017c592.',
    'the id of an upload',
  ),
  {
    what: 'a destination that is a text',
    path: '/v1/images/process',
    body: { source: PUBLIC, operations: [{ type: 'orient' }], output: { destination: PUBLIC } },
    message: `output.destination must be an object such as {"url": "https://…"}, not the text "${PUBLIC}".`,
  },
  {
    what: 'an upload of no size',
    path: '/v1/uploads',
    body: { size: 0 },
    message: 'size must be an integer from 1 on, not 0.',
  },
  {
    what: 'a page for the origin of an upload',
    path: '/v1/uploads',
    body: { size: 5, origin: 'https://app.example.com/upload' },
    message: 'origin must be an origin such as https://app.example.com, not the text "https://app.example.com/upload".',
  },
  {
    what: 'an upload URL that was cut',
    method: 'PUT',
    path: '/v1/uploads/upl_5d41402abc4b2a76b9719d911017c592/content?expires=1795422128',
    body: 'x',
    headers: { 'content-type': 'image/jpeg' },
    message: 'This link is not one of ours, or it was changed. Use upload_url as it is.',
  },
  {
    what: 'metadata without a key',
    method: 'GET',
    path: '/v1/requests?metadata=1977',
    message: 'metadata must be written with its key, as metadata[key]=value.',
  },
  { what: 'no source', path: '/v1/images/read', body: {}, message: 'source is required: an http or https URL.' },
  {
    what: 'url for source',
    path: '/v1/images/read',
    body: { url: PUBLIC },
    message:
      'url is not a parameter of images/read; did you mean source? images/read takes source, webhook_url, customer and metadata.',
  },
  read(
    'https://example.com:8080/a',
    'source: The URL must use the default port: 80 for http, 443 for https.',
    'another port',
  ),
  read('https://a:b@example.com/', 'source: The URL must not hold a user name or a password.', 'a password in the URL'),
  read(
    'http://localhost/a',
    'source: The host of the URL is an internal name. Send a URL that the whole internet can reach.',
    'localhost',
  ),
  read(
    'http://127.0.0.1/a',
    'source: The host of the URL is not on the public internet. Send a URL that everybody can reach.',
    'a private address',
  ),
  read(
    'http://name.invalid/a',
    'source: The host of the URL has no address. Check how it is spelt, or try again later.',
    'a host without an address',
  ),
  process(
    { source: PUBLIC },
    'operations is required: an array of 1 to 20 operations, such as [{"type": "orient"}]; [{"type": "flip"}] converts and changes nothing else.',
    'no operations',
  ),
  operations([], 'operations must have 1 to 20 elements, not 0.', 'an empty list'),
  operations(
    {},
    'operations must be an array of 1 to 20 operations, such as [{"type": "orient"}], not an object.',
    'operations that are no list',
  ),
  operations(
    ['grayscale'],
    'operations.0 must be an object such as {"type": "grayscale"}, not the text "grayscale".',
    'an operation by its name',
  ),
  operations([{ op: 'resize' }], 'operations.0.type is required: write {"type": "resize", …}.', 'op for type'),
  operations([{ resize: {} }], 'operations.0.type is required: write {"type": "resize", …}.', 'the operation as a key'),
  operations(
    [{ type: 'greyscale' }],
    'operations.0.type is "greyscale", which is not an operation; did you mean grayscale?',
    'greyscale',
  ),
  operations(
    [{ type: 'rezise' }],
    'operations.0.type is "rezise", which is not an operation; did you mean resize?',
    'rezise',
  ),
  operations(
    [{ type: 'whistle' }],
    `operations.0.type is "whistle", which is not an operation; images take ${OF_IMAGES}.`,
    'an operation that is none',
  ),
  {
    what: 'resize on a PDF',
    path: '/v1/documents/process',
    body: { source: PUBLIC, operations: [{ type: 'resize' }] },
    message: 'operations.0.type is "resize", which works on images and videos, not on PDFs; PDFs take watermark.',
  },
  {
    what: 'sepia on a video',
    path: '/v1/videos/process',
    body: { source: PUBLIC, operations: [{ type: 'sepia' }] },
    message:
      'operations.0.type is "sepia", which works on images, not on videos; videos take watermark, border, resize, crop, rotate, flip and grayscale.',
  },
  operations(
    [{ type: 'resize', width: 1 }],
    'operations.0.height is required: an integer from 1 to 20000.',
    'no height',
  ),
  operations(
    [{ type: 'resize', width: '800', height: 1 }],
    'operations.0.width must be an integer from 1 to 20000, not the text "800".',
    'a number as text',
  ),
  operations(
    [{ type: 'resize', width: 1.5, height: 1 }],
    'operations.0.width must be an integer from 1 to 20000, not 1.5.',
    'a fraction',
  ),
  operations(
    [{ type: 'resize', width: 30_000, height: 1 }],
    'operations.0.width must be an integer from 1 to 20000, not 30000.',
    'too much',
  ),
  operations(
    [{ type: 'resize', width: 1, heigth: 1 }],
    `operations.0.heigth is not a parameter of resize; did you mean height? ${OF_RESIZE}`,
    'heigth',
  ),
  operations(
    [{ type: 'rotate', angle: 90 }],
    'operations.0.angle is not a parameter of rotate; did you mean degrees? rotate takes degrees, flip_horizontal and flip_vertical.',
    'angle',
  ),
  operations(
    [{ type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: 'red' }],
    'operations.0.color must be a hex color such as #ff8800, not the text "red".',
    'a colour by its name',
  ),
  process(
    { source: PUBLIC, operations: [{ type: 'orient' }], output: { format: 'jpeg' } },
    'output.format must be one of jpg, png, webp, gif, tif, not the text "jpeg"; did you mean jpg?',
    'jpeg',
  ),
  operations(
    [{ type: 'filter', name: 'Nashville' }],
    'operations.0.name must be one of amaro, apollo, brannan, earlybird, gotham, hefe, inkwell, kelvin, lomo, nashville, poprocket, rise, sierra, toaster, valencia, walden, willow, xpro2, not the text "Nashville"; did you mean nashville?',
    'Nashville',
  ),
  process(
    { format: 'png', source: PUBLIC, operations: [{ type: 'orient' }] },
    'format is not a parameter of images/process; it belongs in output, as {"output": {"format": …}}.',
    'format at the top',
  ),
  process(
    { quality: 80, source: PUBLIC, operations: [{ type: 'orient' }] },
    'quality is not a parameter of images/process; it belongs to the operations thumbnail and compress.',
    'quality at the top',
  ),
  process(
    { webhook: PUBLIC, source: PUBLIC, operations: [{ type: 'orient' }] },
    `webhook is not a parameter of images/process; did you mean webhook_url? ${OF_PROCESS}`,
    'webhook',
  ),
  process(
    { output: 'png', source: PUBLIC, operations: [{ type: 'orient' }] },
    'output must be an object such as {"format": "jpg"}, not the text "png".',
    'output as text',
  ),
  process(
    { output: null, source: PUBLIC, operations: [{ type: 'orient' }] },
    'output must be an object such as {"format": "jpg"}, not null; leave it out instead.',
    'null for nothing',
  ),
  {
    what: 'metadata with a number',
    path: '/v1/images/read',
    body: { source: PUBLIC, metadata: { order_id: 7 } },
    message: 'metadata.order_id must be a string, not 7.',
  },
  {
    what: 'a long customer',
    path: '/v1/images/read',
    body: { source: PUBLIC, customer: 'x'.repeat(65) },
    message: 'customer must have at most 64 characters, not 65.',
  },
  {
    what: 'a time of day',
    path: '/v1/videos/screenshot',
    body: { source: PUBLIC, seconds: '00:00:10' },
    message: 'seconds must be an integer from 0 to 86400, not the text "00:00:10".',
  },
  {
    what: 'an empty Idempotency-Key',
    path: '/v1/images/read',
    headers: { 'idempotency-key': '' },
    body: {},
    message: 'Idempotency-Key must have 1 to 255 characters.',
  },
  {
    what: 'a limit of 1000',
    method: 'GET',
    path: '/v1/requests?limit=1000',
    message: 'limit must be an integer from 1 to 100, not 1000.',
  },
  {
    what: 'a word for a number',
    method: 'GET',
    path: '/v1/requests?limit=all',
    message: 'limit must be an integer from 1 to 100, not "all".',
  },
  {
    what: 'a group that is none',
    method: 'GET',
    path: '/v1/usage?group_by=days',
    message: 'group_by must be one of day, endpoint, customer, status, not "days"; did you mean day?',
  },
  {
    what: 'an unknown id',
    method: 'GET',
    path: '/v1/requests/999999',
    message: 'There is no request with this id in this account.',
  },
  {
    what: 'a video on a free account',
    caller: 'free',
    path: '/v1/videos/read',
    body: { source: PUBLIC },
    message: 'Videos need an account that has bought credit. Buy credit and try again.',
  },
  {
    what: 'no credit',
    caller: 'poor',
    path: '/v1/images/read',
    body: { source: PUBLIC },
    message:
      'This request costs at least $0.0005; $0.00 of credit is available, and open requests hold $1.00. Buy credit and try again.',
  },
  {
    what: 'a suspended account',
    caller: 'suspended',
    method: 'GET',
    path: '/v1/account',
    message: 'This account is suspended. Ask the operator of this service to resume it.',
  },
  {
    what: 'a cut link',
    caller: 'nobody',
    method: 'GET',
    path: '/v1/results/12?expires=1',
    message: 'This link is not one of ours, or it was changed. Use result.files[].url as it is.',
  },
  read(
    files('/page.jpg'),
    `The source is a web page: send the URL of the file itself. ${IMAGES_TAKEN}`,
    'a web page as source',
  ),
  read(files('/report.pdf'), `The source is a PDF: use documents/read for PDFs. ${IMAGES_TAKEN}`, 'a PDF as a picture'),
  read(
    files('/clip.mp4'),
    `The source is an MP4 video: use videos/read for videos. ${IMAGES_TAKEN}`,
    'a video as a picture',
  ),
  read(files('/empty'), `The source is empty: its server sent no bytes. ${IMAGES_TAKEN}`, 'an empty file'),
  read(files('/letter.docx'), `The source is a Word document. ${IMAGES_TAKEN}`, 'a Word document'),
  read(
    files('/nothing'),
    'The source could not be downloaded: its server answered with status 404.',
    'a file that is not there',
  ),
  process(
    { source: files('/photo.png'), operations: [{ type: 'watermark', image_url: files('/report.pdf'), x: 0, y: 0 }] },
    'The watermark image is a PDF. A watermark is a JPEG, PNG, GIF or WEBP.',
    'a PDF as a watermark',
  ),
  process(
    { source: files('/photo.png'), operations: [{ type: 'crop', x: 500, y: 0, width: 10, height: 10 }] },
    'The crop starts at 500, 0, outside the picture, which is 40 × 30 pixels at that point. Choose x below 40 and y below 30.',
    'a crop outside',
  ),
]
