import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import { BLUE, colorAt, draw, isColor, RED, WHITE } from '../media/image.ts'
import { encodePng } from '../media/png.ts'

export const CUTOUTS = checksOf([
  {
    title: 'remove_background makes the corner color transparent if the format supports it, else white',
    rules: ['operations.remove_background.1', 'operations.remove_background.2'],
    run: async (kit) => {
      const source = await kit.upload(
        encodePng(draw(60, 60, (x, y) => (x > 20 && x < 40 && y > 20 && y < 40 ? RED : BLUE))),
      )
      const operations = [{ type: 'remove_background', tolerance: 10 }]
      const png = await kit.drawn(source, operations)
      ok(colorAt(png, 2, 2)[3] === 0 && isColor(png, 30, 30, RED), 'png keeps the foreground', [
        colorAt(png, 2, 2),
        colorAt(png, 30, 30),
      ])
      const gif = await kit.drawn(source, operations, 'gif')
      ok(isColor(gif, 2, 2, WHITE, 2), 'white in gif', colorAt(gif, 2, 2))
    },
  },
  {
    title:
      'remove_background fades the edge inward by blur, and with tolerance 0 removes only the color of the corner pixel',
    rules: ['operations.remove_background.3', 'operations.remove_background.4', 'operations.remove_background.5'],
    run: async (kit) => {
      const square = draw(80, 80, (x, y) => (x >= 20 && x < 60 && y >= 20 && y < 60 ? RED : WHITE))
      const source = await kit.upload(encodePng(square))
      const alphas = async (blur: number) => {
        const cut = await kit.drawn(source, [{ type: 'remove_background', tolerance: 10, blur }])
        return [10, 19, 21, 24, 40].map((x) => colorAt(cut, x, 40)[3] ?? -1)
      }
      const [out = 0, edge = 0, near = 0, inner = 0, middle = 0] = await alphas(10)
      equal([out, edge, middle], [0, 0, 255], 'alpha outside and in the middle')
      ok(near > 0 && near < inner && inner < 255, 'alpha increases inward from the edge', [near, inner])
      equal((await alphas(0)).slice(3), [255, 255], 'alpha near the edge without blur')
      const nearly = draw(40, 40, (x, y) => (x >= 10 && x < 30 && y >= 10 && y < 30 ? [255, 255, 253] : WHITE))
      const exact = await kit.drawn(await kit.upload(encodePng(nearly)), [{ type: 'remove_background', tolerance: 0 }])
      equal([colorAt(exact, 2, 2)[3], colorAt(exact, 20, 20)[3]], [0, 255], 'alpha of two colors that differ by 2')
    },
  },
])
