import { parentPort, workerData } from 'node:worker_threads'
import { RequestFailure } from '../../domain/errors.ts'
import { drawPage } from './draw-page.ts'
import { startPdfium } from './pdfium.ts'
import type { PdfiumCall, PdfiumReply, PdfiumResults } from './pdfium-calls.ts'
import { readDocument } from './read.ts'
import { rewriteDocument } from './rewrite.ts'
import type { Program } from './web-assembly.ts'

// The thread that PDFium runs in: what it computes cannot be interrupted, but the thread can be ended.

const { program, maxHeapBytes } = workerData as { program: Program; maxHeapBytes: number }
const port = parentPort
if (port === null) throw new TypeError('this file is a thread of the document engine')
const pdfium = await startPdfium(program, maxHeapBytes)

port.on('message', (call: PdfiumCall) => {
  const reply = answer(call)
  port.postMessage(reply, reply.type === 'done' ? movable(reply.result) : [])
})

/** Large buffers are handed over instead of copied; small ones lie in Node's pool, which must stay here. */
const movable = (result: object): ArrayBuffer[] =>
  Object.values(result).flatMap((value) =>
    Buffer.isBuffer(value) && value.buffer instanceof ArrayBuffer && value.buffer.byteLength > Buffer.poolSize
      ? [value.buffer]
      : [],
  )

function answer(call: PdfiumCall): PdfiumReply {
  try {
    const result = work(call)
    return { type: 'done', result, heapBytes: pdfium.heap().length }
  } catch (error) {
    const heapBytes = pdfium.heap().length
    if (!(error instanceof RequestFailure)) return { type: 'broken', cause: describe(error), heapBytes }
    const { code, message, cause } = error
    return { type: 'failed', error: { code, message }, cause: cause === undefined ? cause : describe(cause), heapBytes }
  }
}

function work(call: PdfiumCall): PdfiumResults[PdfiumCall['call']] {
  switch (call.call) {
    case 'read':
      return readDocument(pdfium, call.file)
    case 'draw':
      return drawPage(pdfium, call.file, call.page, call.maxPixels)
    case 'rewrite':
      return rewriteDocument(pdfium, call.file)
  }
}

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
