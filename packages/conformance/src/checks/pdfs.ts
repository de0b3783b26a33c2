import { checksOf } from '../kit/check.ts'
import { equal, inRange, match, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import { isColor, RED, WHITE } from '../media/image.ts'
import type { PdfOptions } from '../media/pdf.ts'
import { writePdf } from '../media/pdf.ts'

const upload = (kit: Kit, options: PdfOptions) => kit.upload(writePdf([[100, 100]], options))

/** A PDF that contains an attachment, and runs JavaScript when it is opened. */
const ACTIVE: PdfOptions = {
  catalog: '/OpenAction @0 0 R /Names << /EmbeddedFiles << /Names [(a.txt) @1 0 R] >> >>',
  objects: [
    '<< /Type /Action /S /JavaScript /JS (app.alert\\(1\\)) >>',
    '<< /Type /Filespec /F (a.txt) /EF << /F @2 0 R >> >>',
    '<< /Type /EmbeddedFile /Length 3 >>\nstream\nabc\nendstream',
  ],
}

/** Returns whether a snapshot shows an annotation that covers the middle of the first page. */
async function showsAnnotation(kit: Kit, annotation: string): Promise<boolean> {
  const rectangle = '/Rect [20 20 80 80] /C [0.863 0.078 0.118] /IC [0.863 0.078 0.118]'
  const source = await upload(kit, {
    page: '/Annots [@0 0 R]',
    objects: [`<< /Type /Annot ${rectangle} ${annotation} >>`],
  })
  const shot = await kit.succeed('documents/snapshot', { source, output: { format: 'png' } })
  const image = await kit.pixels(shot)
  const middle = [Math.round(image.width / 2), Math.round(image.height / 2)] as const
  const isShown = isColor(image, ...middle, RED, 8)
  ok(isShown || isColor(image, ...middle, WHITE), 'the middle of the page is red or white')
  return isShown
}

export const PDFS = checksOf([
  {
    title: 'documents/process keeps the pages of a PDF, and charges for each page',
    needs: ['samples'],
    rules: ['documents.data.1', 'documents.process.2', 'billing.units.2'],
    run: async (kit) => {
      const operations = [{ type: 'watermark', image_url: kit.sample('logo.png'), x: 10, y: 10 }]
      const request = await kit.succeed('documents/process', {
        source: kit.sample('report.pdf'),
        operations,
        max_pages: 2,
      })
      const { data, files } = request.result
      equal([data.page_count, data.format, files[0].format, data.size], [2, 'PDF', 'pdf', files[0].size], 'metadata')
      inRange(data.page_size.width, 595, 596, 'width of page 1')
      equal(data.page_size.unit, 'pt', 'unit of the page')
      equal(request.price.micro_usd, request.livemode ? 8000 : 0, 'the price of two pages')
      match((await kit.file(request)).toString('latin1', 0, 5), /^%PDF-/, 'the file')
      for (const max_pages of [0, 2001])
        await kit.invalid(
          'documents/process',
          { source: kit.sample('report.pdf'), operations, max_pages },
          'max_pages',
          'out_of_range',
        )
    },
  },
  {
    title: 'documents/read returns the metadata of a PDF',
    needs: ['samples'],
    rules: ['documents.data.2'],
    run: async (kit) => {
      const { result, price, livemode } = await kit.succeed('documents/read', { source: kit.sample('report.pdf') })
      const { data } = result
      equal(
        [data.page_count, data.pdf_version, data.encrypted, data.page_sizes_vary],
        [3, '1.7', false, false],
        'metadata',
      )
      equal([data.title, data.format], ['A sample report', 'PDF'], 'title and format')
      equal(price.micro_usd, livemode ? 500 : 0, 'the price of documents/read')
    },
  },
  {
    title: 'documents/snapshot shows a page of a PDF at 150 dpi',
    needs: ['samples'],
    rules: ['documents.snapshot.1', 'documents.snapshot.2', 'documents.snapshot.3'],
    run: async (kit) => {
      const source = kit.sample('report.pdf')
      const shot = await kit.succeed('documents/snapshot', { source, output: { format: 'png' } })
      const { data } = shot.result
      inRange(data.width, 1240, 1241, 'width at 150 dpi')
      inRange(data.height, 1753, 1754, 'height at 150 dpi')
      equal([data.page, data.format], [1, 'PNG'], 'page and format')
      equal(shot.price.micro_usd, shot.livemode ? 2000 : 0, 'the price of documents/snapshot')
      await kit.fail('documents/snapshot', { source, page: 4 }, 'processing_failed', /3/)
      await kit.invalid('documents/snapshot', { source, page: 0 }, 'page', 'out_of_range')
    },
  },
  {
    title: 'a processed PDF has no JavaScript and no attachments, unless active_content is keep',
    rules: ['documents.process.3'],
    run: async (kit) => {
      const source = await upload(kit, ACTIVE)
      const read = async (file: string) => {
        const { data } = (await kit.succeed('documents/read', { source: file })).result
        return [data.has_javascript, data.attachments]
      }
      equal(await read(source), [true, 1], 'has_javascript and attachments of the source')
      const operations = [{ type: 'watermark', image_url: await kit.image(), x: 0, y: 0 }]
      for (const [output, expected] of [
        [{}, [false, 0]],
        [{ active_content: 'remove' }, [false, 0]],
        [{ active_content: 'keep' }, [true, 1]],
      ] as const) {
        const made = await kit.succeed('documents/process', { source, operations, output })
        equal(await read(made.result.files[0].url), expected, `a result with output ${JSON.stringify(output)}`)
      }
    },
  },
  {
    title: 'a PDF without a header is detected by its first object, and has version 1.7',
    rules: ['documents.data.3', 'sources.formats.4'],
    run: async (kit) => {
      const bare = writePdf([[100, 100]], { hasHeader: false })
      const { data } = (await kit.succeed('documents/read', { source: await kit.upload(bare) })).result
      equal([data.pdf_version, data.page_count], ['1.7', 1], 'a PDF without a header')
      const late = Buffer.concat([Buffer.from(`${'-'.repeat(900)}\n`), writePdf([[100, 100]])])
      const read = await kit.succeed('documents/read', { source: await kit.upload(late) })
      equal([read.result.data.pdf_version, read.result.data.page_count], ['1.4', 1], 'a header after 901 bytes')
    },
  },
  {
    title:
      'a snapshot of a PDF shows annotations, except hidden annotations and Stamp annotations without an appearance',
    rules: ['documents.snapshot.4', 'documents.fonts.3'],
    run: async (kit) => {
      equal(await showsAnnotation(kit, '/Subtype /Square'), true, 'whether a square is shown')
      equal(await showsAnnotation(kit, '/Subtype /Square /F 2'), false, 'whether a hidden square is shown')
      equal(
        await showsAnnotation(kit, '/Subtype /Stamp /Name /Draft'),
        false,
        'whether a Stamp annotation without an appearance is shown',
      )
    },
  },
])
