import type { Mediamill } from '@mediamill/sdk/src/index'
import { sendUpload } from '@mediamill/sdk/src/index'

/** A method of the library. `name` is the call, and `gives` is the result type, as text. */
type Method = { name: string; gives: string; call: (client: Mediamill) => PromiseLike<unknown> }

const source = 'https://example.com/a'
const UPLOAD_URL = 'https://m.example/v1/uploads/upl_1/content?expires=1&signature=a'
const orient = { source, operations: [{ type: 'orient' as const }] }
const grayscale = { source, operations: [{ type: 'grayscale' as const }] }
const watermark = { source, operations: [{ type: 'watermark' as const, image_url: source, x: 0, y: 0 }] }

const method = (name: string, gives: string, call: Method['call']): Method => ({ name, gives, call })

export const NO_METHOD: Record<string, string> = {
  sendUpload: '`uploads.create(file)` does the same',
  putUpload: '`sendUpload` sends the file in chunks, and can resume',
  endUpload: '`uploads.delete(id)` does the same with the key',
  describeUpload: 'for other tus clients',
}

/** The library method for every other API operation, by `operationId`. */
export const METHODS: Record<string, Method> = {
  imagesProcess: method('images.process(params, options?)', 'StartedRequest', (m) => m.images.process(orient)),
  imagesRead: method('images.read(params, options?)', 'StartedRequest', (m) => m.images.read({ source })),
  videosProcess: method('videos.process(params, options?)', 'StartedRequest', (m) => m.videos.process(grayscale)),
  videosRead: method('videos.read(params, options?)', 'StartedRequest', (m) => m.videos.read({ source })),
  videosScreenshot: method('videos.screenshot(params, options?)', 'StartedRequest', (m) =>
    m.videos.screenshot({ source, seconds: 1 }),
  ),
  documentsProcess: method('documents.process(params, options?)', 'StartedRequest', (m) =>
    m.documents.process(watermark),
  ),
  documentsRead: method('documents.read(params, options?)', 'StartedRequest', (m) => m.documents.read({ source })),
  documentsSnapshot: method('documents.snapshot(params, options?)', 'StartedRequest', (m) =>
    m.documents.snapshot({ source }),
  ),
  imagesProcessEstimate: method('images.process.estimate(params, options?)', 'Estimate', (m) =>
    m.images.process.estimate(orient),
  ),
  imagesReadEstimate: method('images.read.estimate(params, options?)', 'Estimate', (m) =>
    m.images.read.estimate({ source }),
  ),
  videosProcessEstimate: method('videos.process.estimate(params, options?)', 'Estimate', (m) =>
    m.videos.process.estimate(grayscale),
  ),
  videosReadEstimate: method('videos.read.estimate(params, options?)', 'Estimate', (m) =>
    m.videos.read.estimate({ source }),
  ),
  videosScreenshotEstimate: method('videos.screenshot.estimate(params, options?)', 'Estimate', (m) =>
    m.videos.screenshot.estimate({ source, seconds: 1 }),
  ),
  documentsProcessEstimate: method('documents.process.estimate(params, options?)', 'Estimate', (m) =>
    m.documents.process.estimate(watermark),
  ),
  documentsReadEstimate: method('documents.read.estimate(params, options?)', 'Estimate', (m) =>
    m.documents.read.estimate({ source }),
  ),
  documentsSnapshotEstimate: method('documents.snapshot.estimate(params, options?)', 'Estimate', (m) =>
    m.documents.snapshot.estimate({ source }),
  ),
  listRequests: method('requests.list(query?, options?)', 'Pages<MediaRequest>', (m) => m.requests.list()),
  getRequest: method('requests.retrieve(id, options?)', 'MediaRequest', (m) => m.requests.retrieve(17)),
  abortRequest: method('requests.abort(id, options?)', 'MediaRequest', (m) => m.requests.abort(17)),
  deleteFiles: method('requests.deleteFiles(id, options?)', 'MediaRequest', (m) => m.requests.deleteFiles(17)),
  downloadResult: method('result.files[0].stream(options?)', 'ReadableStream', async (m) => {
    const file = { url: 'https://m.example/v1/results/17?expires=1&signature=a', size: null, sha256: '' }
    const request = { id: 17, status: 'succeeded', result: { files: [file] } }
    const { result } = m.requests.from(request as never) as never as {
      result: { files: { stream: () => ReadableStream }[] }
    }
    await result.files[0]?.stream().getReader().read()
  }),
  createUpload: method('uploads.create(file or announced, options?)', 'CompleteUpload | WaitingUpload', (m) =>
    m.uploads.create(new Blob(['a'])),
  ),
  getUpload: method('uploads.retrieve(id, options?)', 'Upload', (m) => m.uploads.retrieve('upl_1')),
  deleteUpload: method('uploads.delete(id, options?)', 'DeletedUpload', (m) => m.uploads.delete('upl_1')),
  patchUpload: method('sendUpload(uploadUrl, file, options?)', 'void', async () => {
    await sendUpload(UPLOAD_URL, new Blob(['a']))
  }),
  headUpload: method('sendUpload(uploadUrl, file, options?)', 'void', async () => {
    await sendUpload(UPLOAD_URL, new Blob(['a']))
  }),
  createStamp: method('stamps.create(params, options?)', 'Stamp', (m) => m.stamps.create({ type: 'text', text: 'a' })),
  createTemplate: method('templates.create(params, options?)', 'Template', (m) =>
    m.templates.create({ name: 'a', operations: [{ type: 'orient' }] }),
  ),
  listTemplates: method('templates.list(query?, options?)', 'Pages<Template>', (m) => m.templates.list()),
  getTemplate: method('templates.retrieve(name, options?)', 'Template', (m) => m.templates.retrieve('a')),
  deleteTemplate: method('templates.delete(name, options?)', 'DeletedTemplate', (m) => m.templates.delete('a')),
  streamRequest: method('requests.events(id, options?)', 'AsyncGenerator<MediaRequest>', async (m) => {
    await m.requests.events(17).next()
  }),
  listEvents: method('events.list(query?, options?)', 'Pages<ListedEvent>', (m) => m.events.list()),
  getAccount: method('account.retrieve(options?)', 'Account', (m) => m.account.retrieve()),
  getUsage: method('usage.retrieve(query?, options?)', 'Usage', (m) => m.usage.retrieve()),
  listOperations: method('operations.list(options?)', 'Catalog', (m) => m.operations.list()),
}
