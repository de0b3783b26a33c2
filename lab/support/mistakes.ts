import { SAMPLE_NAMES } from '@mediamill/contract/objects/samples'
import { operationsOn } from './operation-table.ts'

/** The account that makes a wrong call. Default: an account with credit. */
type Caller = 'paid' | 'free' | 'poor' | 'suspended' | 'nobody' | 'stranger'

/** A wrong call that beginners make, and the message that explains the fix. */
type Mistake = {
  what: string
  method?: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  caller?: Caller
  /** An example of the message. Tests compare only its fields, values, limits, and names, so the words may change. */
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

const SEND_KEY = 'Send your API key in the header Authorization: Bearer <API_KEY>.'
const PAGES = 'GET /docs describes every call, and GET /v1/openapi.json describes them for programs.'
const AS_JSON = 'Send the body as JSON, with the header Content-Type: application/json'
const SEND_FILE =
  'To send a file to a processing endpoint, use curl -F source=@photo.jpg; to upload one, use curl -T photo.jpg or --data-binary @photo.jpg with the header Content-Type: application/octet-stream.'
const OF_IMAGES = `${operationsOn('image').slice(0, -1).join(', ')} and ${operationsOn('image').at(-1)}`
const OF_RESIZE = 'resize accepts width, height, preserve_aspect_ratio, and crop_center.'
const OF_PROCESS = 'images/process accepts source, webhook_url, customer, metadata, operations, and output.'
const IMAGES_TAKEN = 'images/read accepts JPEG, PNG, GIF, WEBP, TIFF, BMP, HEIC, and AVIF.'

/** Returns a wrong call for each mistake. `files` maps a path to the URL of a file that is not a valid source. */
export const mistakes = (files: (path: string) => string): Mistake[] => [
  {
    what: 'a missing key',
    path: '/v1/images/read',
    caller: 'nobody',
    message: 'Send your API key in the header Authorization: Bearer <API_KEY>.',
  },
  {
    what: 'a wrong key',
    path: '/v1/images/read',
    caller: 'stranger',
    message:
      'This API key is not valid: it was cut off or mistyped. Copy the whole key; it starts with svc_live_ or svc_test_.',
  },
  {
    what: 'a key without Bearer',
    method: 'GET',
    path: '/v1/account',
    caller: 'nobody',
    headers: { authorization: 'svc_live_none' },
    message: `The header Authorization has no Bearer before the key. ${SEND_KEY}`,
  },
  {
    what: 'Basic authentication',
    method: 'GET',
    path: '/v1/account',
    caller: 'nobody',
    headers: { authorization: 'Basic c3ZjX2xpdmVfbm9uZTo=' },
    message: `Basic authentication is not supported. ${SEND_KEY}`,
  },
  {
    what: 'a key in X-Api-Key',
    method: 'GET',
    path: '/v1/account',
    caller: 'nobody',
    headers: { 'x-api-key': 'svc_live_none' },
    message: `The header X-Api-Key is not supported. ${SEND_KEY}`,
  },
  {
    what: 'a key in the query',
    method: 'GET',
    path: '/v1/account?api_key=svc_live_none',
    caller: 'nobody',
    message: `A key in the URL is not accepted, because URLs are written to logs. ${SEND_KEY}`,
  },
  {
    what: 'a webhook secret as the key',
    method: 'GET',
    path: '/v1/account',
    caller: 'nobody',
    headers: { authorization: 'Bearer whsec_abc' },
    message: 'This is a webhook secret, not an API key. API keys start with svc_live_ or svc_test_.',
  },
  {
    what: 'a path with pdfs instead of documents',
    path: '/v1/pdfs/process',
    message: `There is nothing at this path. Did you mean POST /v1/documents/process? ${PAGES}`,
  },
  {
    what: 'the id of a call as the id of a request',
    method: 'GET',
    path: '/v1/requests/req_17',
    message:
      'There is no request with this id in this account. The id of a request is a number, such as 17; req_… is the id of one call.',
  },
  read(
    'data:image/jpeg;base64,/9j/4AAQ',
    'source: The URL must start with http:// or https:// and a host. data: URLs are not supported: send its bytes to POST /v1/uploads, and use the source that it returns.',
    'a data URL',
  ),
  read(
    's3://bucket/photo.jpg',
    'source: The URL must start with http:// or https:// and a host. Send a presigned https URL of the object.',
    'an s3 URL',
  ),
  read(
    'my photo.jpg',
    'source: The URL must start with http:// or https:// and a host. To use a local file, send its bytes to POST /v1/uploads, and use the source that it returns.',
    'a path with a space',
  ),
  read(
    'example.com/a.jpg',
    'source: The URL must start with http:// or https:// and a host. Did you mean https://example.com/a.jpg?',
    'a URL without its scheme',
  ),
  operations(
    [{ type: 'orient' }, { type: 'resize', width: 0, height: 1 }],
    'operations[1].width must be an integer from 1 to 20000 (got 0).',
    'an invalid second operation',
  ),
  operations(
    [{ type: 'watermark', image_url: PUBLIC, x: 1, y: 1, position: 'bottom-right' }],
    'operations[0].position is not a parameter of watermark; gravity anchors the watermark at an edge or the center, and x and y are its margins.',
    'a watermark with position instead of gravity',
  ),
  operations(
    [{ type: 'watermark', image_url: PUBLIC, x: 1, y: 1, gravity: 'bottom-right' }],
    'operations[0].gravity must be one of north_west, north, north_east, west, center, east, south_west, south, south_east (got "bottom-right"); use south_east instead.',
    'a gravity that another service uses',
  ),
  operations(
    [{ type: 'watermark', text: 'hi', x: 1, y: 1 }],
    'operations[0].text is not a parameter of watermark; send the text to POST /v1/stamps, and use the source it returns as image_url.',
    'a watermark with a text',
  ),
  operations(
    [{ type: 'watermark', image_url: 'photo.png', x: 1, y: 1 }],
    'operations[0].image_url: The URL must start with http:// or https:// and a host. To use a local file, send its bytes to POST /v1/uploads, and use the source that it returns.',
    'a watermark with a local file',
  ),
  process(
    { source: PUBLIC, operations: [{ type: 'orient' }], output: { format: 'avif' } },
    'output.format must be one of jpg, png, webp, gif, tif (got "avif"); only outputs supports avif.',
    'format avif in output',
  ),
  {
    what: 'a webhook on localhost',
    path: '/v1/images/read',
    body: { source: PUBLIC, webhook_url: 'http://localhost/hook' },
    message:
      'webhook_url: The host localhost is an internal name. Send a URL that the whole internet can reach. To receive events on your machine, use mediamill listen.',
  },
  {
    what: 'a webhook at a host without an address',
    path: '/v1/images/read',
    body: { source: PUBLIC, webhook_url: 'https://hooks.invalid/' },
    message: 'webhook_url: The host hooks.invalid has no address. Check its spelling, or try again later.',
  },
  {
    what: 'a path without /v1',
    path: '/images/process',
    message: `There is nothing at this path. Did you mean POST /v1/images/process? ${PAGES}`,
  },
  {
    what: 'an unknown sample',
    method: 'GET',
    path: '/docs/samples/cat.jpg',
    message: `There is nothing at this path. The samples are ${SAMPLE_NAMES.slice(0, -1)
      .map((name) => `/docs/samples/${name}`)
      .join(', ')}, and /docs/samples/${SAMPLE_NAMES.at(-1)}. ${PAGES}`,
  },
  {
    what: 'a slash at the end',
    method: 'GET',
    path: '/v1/account/',
    message: `There is nothing at this path. Did you mean GET /v1/account? ${PAGES}`,
  },
  {
    what: 'POST on the list of requests',
    path: '/v1/requests',
    message: `This path supports GET, not POST. To start a request, call an endpoint such as POST /v1/images/process. ${PAGES}`,
  },
  {
    what: 'a path with cancel instead of abort',
    path: '/v1/requests/12/cancel',
    message: `There is nothing at this path. Did you mean POST /v1/requests/{id}/abort? ${PAGES}`,
  },
  {
    what: 'a misspelled path',
    path: '/v1/image/process',
    message: `There is nothing at this path. Did you mean POST /v1/images/process? ${PAGES}`,
  },
  {
    what: 'an operation in the path',
    path: '/v1/images/resize',
    message: `There is nothing at this path. resize is an operation: send it in operations of POST /v1/images/process. ${PAGES}`,
  },
  {
    what: 'GET on an endpoint',
    method: 'GET',
    path: '/v1/images/process',
    message: `This path supports POST, not GET. ${PAGES}`,
  },
  {
    what: 'a URL-encoded form',
    path: '/v1/images/read',
    body: 'source=a',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    message: `${AS_JSON}. ${SEND_FILE}`,
  },
  {
    what: 'a malformed multipart form',
    path: '/v1/images/read',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    message:
      'The form is not valid multipart/form-data: it ends before its closing boundary, or a part is malformed. Send it again.',
  },
  {
    what: 'a file as the body',
    path: '/v1/images/read',
    body: 'x',
    headers: { 'content-type': 'image/jpeg' },
    message: `${AS_JSON}. ${SEND_FILE}`,
  },
  {
    what: 'an unsupported charset',
    path: '/v1/images/read',
    body: '{}',
    headers: { 'content-type': 'application/json; charset=iso-8859-1' },
    message: 'The Content-Type names a charset other than UTF-8. Send the body in UTF-8.',
  },
  json(
    '{"source": "x",}',
    'line 1, column 16: remove the comma before a closing bracket, and close each bracket with a matching bracket',
    'a trailing comma',
  ),
  json("{'source': 'x'}", 'line 1, column 2: put names and strings in double quotes', 'single quotation marks'),
  json('{"source": NaN}', 'line 1, column 12: JSON does not support this value', 'the value NaN'),
  json('{"source": "x"} // mine', 'line 1, column 17: remove the comment: JSON does not support comments', 'a comment'),
  json('source=x', 'line 1, column 1: put names and strings in double quotes', 'a form that is sent as JSON'),
  json('{"source": "x"', 'it is incomplete', 'truncated JSON'),
  json('', 'it is empty', 'an empty body'),
  { what: 'an array as the body', path: '/v1/images/read', body: [], message: 'The body must be a JSON object.' },
  read(
    '/home/me/photo.jpg',
    'source: The URL must start with http:// or https:// and a host. To use a local file, send its bytes to POST /v1/uploads, and use the source that it returns.',
    'a local path',
  ),
  read(
    `file:///C:/photo.jpg`,
    'source: The URL must start with http:// or https:// and a host. To use a local file, send its bytes to POST /v1/uploads, and use the source that it returns.',
    'a local path as a URL',
  ),
  read(
    'upl_5d41402abc4b2a76b9719d911017c592',
    'source: The URL must start with http:// or https:// and a host. Send an upload as upload:upl_5d41402abc4b2a76b9719d911017c592.',
    'an upload id without upload: before it',
  ),
  {
    what: 'a destination that is a string',
    path: '/v1/images/process',
    body: { source: PUBLIC, operations: [{ type: 'orient' }], output: { destination: PUBLIC } },
    message: `output.destination must be an object such as {"url": "https://…"} (got "${PUBLIC}").`,
  },
  {
    what: 'an upload with size 0',
    path: '/v1/uploads',
    body: { size: 0 },
    message: 'size must be an integer of at least 1 (got 0).',
  },
  {
    what: 'an upload origin that is the URL of a page',
    path: '/v1/uploads',
    body: { size: 5, origin: 'https://app.example.com/upload' },
    message: 'origin must be an origin such as https://app.example.com (got "https://app.example.com/upload").',
  },
  {
    what: 'a truncated upload URL',
    method: 'PUT',
    path: '/v1/uploads/upl_5d41402abc4b2a76b9719d911017c592/content?expires=1795422128',
    body: 'x',
    headers: { 'content-type': 'image/jpeg' },
    message:
      'This service did not create this link, the link was changed, or its signing key was retired. Get a new link, and use upload_url as it is.',
  },
  {
    what: 'metadata without a key',
    method: 'GET',
    path: '/v1/requests?metadata=1977',
    message: 'metadata must be written with its key, as metadata[key]=value.',
  },
  { what: 'a missing source', path: '/v1/images/read', body: {}, message: 'source is required: an http or https URL.' },
  {
    what: 'url instead of source',
    path: '/v1/images/read',
    body: { url: PUBLIC },
    message:
      'url is not a parameter of images/read; did you mean source? images/read accepts source, webhook_url, customer, and metadata.',
  },
  read(
    'https://example.com:8080/a',
    'source: The URL must use the default port: 80 for http, 443 for https.',
    'a port other than the default',
  ),
  read(
    'https://a:b@example.com/',
    'source: The URL must not contain a user name or a password.',
    'a password in the URL',
  ),
  read(
    'http://localhost/a',
    'source: The host localhost is an internal name. Send a URL that the whole internet can reach.',
    'a source on localhost',
  ),
  read(
    'http://127.0.0.1/a',
    'source: The host 127.0.0.1 is not on the public internet. Send a URL that the whole internet can reach.',
    'a private address',
  ),
  read(
    'http://name.invalid/a',
    'source: The host name.invalid has no address. Check its spelling, or try again later.',
    'a host without an address',
  ),
  process(
    { source: PUBLIC },
    'operations is required: an array of 1 to 20 operations, such as [{"type": "orient"}]; to convert only, send [{"type": "flip"}].',
    'a missing operations field',
  ),
  operations([], 'operations must have 1 to 20 elements (got 0).', 'an empty list of operations'),
  operations(
    {},
    'operations must be an array of 1 to 20 operations, such as [{"type": "orient"}] (got an object).',
    'operations in an object',
  ),
  operations(
    ['grayscale'],
    'operations[0] must be an object such as {"type": "grayscale"} (got "grayscale").',
    'an operation that is only a name',
  ),
  operations([{ op: 'resize' }], 'operations[0].type is required: write {"type": "resize", …}.', 'op instead of type'),
  operations(
    [{ resize: {} }],
    'operations[0].type is required: write {"type": "resize", …}.',
    'the operation as a key',
  ),
  operations(
    [{ type: 'greyscale' }],
    'operations[0].type is "greyscale", which is not an operation; did you mean grayscale?',
    'the operation greyscale',
  ),
  operations(
    [{ type: 'rezise' }],
    'operations[0].type is "rezise", which is not an operation; did you mean resize?',
    'the operation rezise',
  ),
  operations(
    [{ type: 'whistle' }],
    `operations[0].type is "whistle", which is not an operation; images support ${OF_IMAGES}.`,
    'an unknown operation',
  ),
  {
    what: 'resize on a PDF',
    path: '/v1/documents/process',
    body: { source: PUBLIC, operations: [{ type: 'resize' }] },
    message: 'operations[0].type is "resize", which works on images and videos, not on PDFs; PDFs take watermark.',
  },
  {
    what: 'sepia on a video',
    path: '/v1/videos/process',
    body: { source: PUBLIC, operations: [{ type: 'sepia' }] },
    message:
      'operations[0].type is "sepia", which works on images, not on videos; videos support watermark, border, resize, crop, rotate, flip, and grayscale.',
  },
  operations(
    [{ type: 'resize', width: 1 }],
    'operations[0].height is required: an integer from 1 to 20000; the operation thumbnail needs only a width.',
    'a resize without height',
  ),
  operations(
    [{ type: 'resize', width: '800', height: 1 }],
    'operations[0].width must be an integer from 1 to 20000 (got "800").',
    'a number as text',
  ),
  operations(
    [{ type: 'resize', width: 1.5, height: 1 }],
    'operations[0].width must be an integer from 1 to 20000 (got 1.5).',
    'a fraction for an integer',
  ),
  operations(
    [{ type: 'resize', width: 30_000, height: 1 }],
    'operations[0].width must be an integer from 1 to 20000 (got 30000).',
    'a width above the maximum',
  ),
  operations(
    [{ type: 'resize', width: 1, heigth: 1 }],
    `operations[0].heigth is not a parameter of resize; did you mean height? ${OF_RESIZE}`,
    'the parameter heigth',
  ),
  operations(
    [{ type: 'rotate', angle: 90 }],
    'operations[0].angle is not a parameter of rotate; did you mean degrees? rotate accepts degrees, flip_horizontal, and flip_vertical.',
    'the parameter angle',
  ),
  operations(
    [{ type: 'border', top: 1, bottom: 1, left: 1, right: 1, color: 'red' }],
    'operations[0].color must be a hex color such as #ff8800 (got "red").',
    'a color name',
  ),
  process(
    { source: PUBLIC, operations: [{ type: 'orient' }], output: { format: 'jpeg' } },
    'output.format must be one of jpg, png, webp, gif, tif (got "jpeg"); did you mean jpg?',
    'format jpeg instead of jpg',
  ),
  operations(
    [{ type: 'filter', name: 'Nashville' }],
    'operations[0].name must be one of amaro, apollo, brannan, earlybird, gotham, hefe, inkwell, kelvin, lomo, nashville, poprocket, rise, sierra, toaster, valencia, walden, willow, xpro2 (got "Nashville"); did you mean nashville?',
    'a filter name with a capital letter',
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
    'the field webhook',
  ),
  process(
    { output: 'png', source: PUBLIC, operations: [{ type: 'orient' }] },
    'output must be an object such as {"format": "jpg"} (got "png").',
    'output as text',
  ),
  process(
    { output: null, source: PUBLIC, operations: [{ type: 'orient' }] },
    'output must be an object such as {"format": "jpg"} (got null); leave it out.',
    'null for a field that can be left out',
  ),
  {
    what: 'metadata with a number',
    path: '/v1/images/read',
    body: { source: PUBLIC, metadata: { order_id: 7 } },
    message: 'metadata.order_id must be a string (got 7).',
  },
  {
    what: 'a customer above the maximum length',
    path: '/v1/images/read',
    body: { source: PUBLIC, customer: 'x'.repeat(65) },
    message: 'customer must have at most 64 characters (got 65).',
  },
  {
    what: 'seconds in the form 00:00:10',
    path: '/v1/videos/screenshot',
    body: { source: PUBLIC, seconds: '00:00:10' },
    message: 'seconds must be an integer from 0 to 86400 (got "00:00:10").',
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
    message: 'limit must be an integer from 1 to 100 (got 1000).',
  },
  {
    what: 'a limit that is a word',
    method: 'GET',
    path: '/v1/requests?limit=all',
    message: 'limit must be an integer from 1 to 100 (got "all").',
  },
  {
    what: 'an unknown value of group_by',
    method: 'GET',
    path: '/v1/usage?group_by=days',
    message: 'group_by must be one of day, endpoint, customer, status (got "days"); did you mean day?',
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
    message:
      'Videos need an account that has bought credit. Buy credit and try again. If you run this service, the command mediamill account credit ACCOUNT 25.00 adds credit.',
  },
  {
    what: 'a call without enough credit',
    caller: 'poor',
    path: '/v1/images/read',
    body: { source: PUBLIC },
    message:
      'This request costs at least $0.0005; $0.00 of credit is available, and open requests hold $1.00. Buy credit and try again. If you run this service, the command mediamill account credit ACCOUNT 25.00 adds credit.',
  },
  {
    what: 'a suspended account',
    caller: 'suspended',
    method: 'GET',
    path: '/v1/account',
    message: 'This account is suspended. Ask the operator of this service to resume it.',
  },
  {
    what: 'a truncated result link',
    caller: 'nobody',
    method: 'GET',
    path: '/v1/results/12?expires=1',
    message:
      'This service did not create this link, the link was changed, or its signing key was retired. Get a new link, and use result.files[].url as it is.',
  },
  read(
    files('/page.jpg'),
    `The source is a web page: send the URL of the file itself. ${IMAGES_TAKEN}`,
    'a web page as source',
  ),
  read(
    files('/report.pdf'),
    `The source is a PDF: use documents/read for PDFs. ${IMAGES_TAKEN}`,
    'a PDF as the source of an image call',
  ),
  read(
    files('/clip.mp4'),
    `The source is an MP4 video: use videos/read for videos. ${IMAGES_TAKEN}`,
    'a video as the source of an image call',
  ),
  read(files('/empty'), `The source is empty: its server sent no bytes. ${IMAGES_TAKEN}`, 'an empty file'),
  read(files('/letter.docx'), `The source is a Word document. ${IMAGES_TAKEN}`, 'a Word document'),
  read(
    files('/nothing'),
    'The source could not be downloaded: its server returned status 404.',
    'a source whose server returns 404',
  ),
  process(
    { source: files('/photo.png'), operations: [{ type: 'watermark', image_url: files('/report.pdf'), x: 0, y: 0 }] },
    'The watermark image is a PDF. A watermark is a JPEG, PNG, GIF, or WEBP.',
    'a PDF as a watermark',
  ),
  process(
    { source: files('/photo.png'), operations: [{ type: 'crop', x: 500, y: 0, width: 10, height: 10 }] },
    'The crop starts at 500, 0, outside the image, which is 40 × 30 pixels before the crop. Choose x below 40 and y below 30.',
    'a crop outside the image',
  ),
]
