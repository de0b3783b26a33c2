import { deflateSync } from 'node:zlib'
import { CATALOG, LETTER, page, pages, pdf, stream } from './pdf-traps.ts'

export function validDocument(): Buffer {
  const image = deflateSync(Buffer.alloc(32 * 32 * 3, 120))
  const resources = '/Resources<</Font<</F 6 0 R>>/XObject<</I 7 0 R>>>>'
  return pdf([
    CATALOG.replace('>>', '/Outlines 8 0 R>>'),
    pages('3 0 R 4 0 R', 2),
    page(LETTER, `/Contents 5 0 R${resources}`),
    page('0 0 300 200', `/Rotate 90/Contents 5 0 R${resources}`),
    stream('', 'BT /F 24 Tf 72 700 Td (Hello, mill) Tj ET q 100 0 0 100 72 500 cm /I Do Q 1 0 0 rg 10 10 50 50 re f'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    stream(
      '/Type/XObject/Subtype/Image/Width 32/Height 32/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode',
      image,
    ),
    '<</Type/Outlines/First 9 0 R/Last 9 0 R/Count 1>>',
    '<</Title(One)/Parent 8 0 R/Dest[3 0 R/Fit]>>',
  ])
}
