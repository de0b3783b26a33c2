import type { Rgb } from './video-clip.ts'

/** An image that tests compute from the API reference, without the engines. Pixel centers are at integers. */
export type ExpectedImage = { width: number; height: number; at: (x: number, y: number) => Rgb }

type Operation = { type: string } & Record<string, unknown>
type Step = (image: ExpectedImage, operation: Operation) => ExpectedImage

const WHITE: Rgb = [255, 255, 255]

export function expectedImage(
  source: ExpectedImage,
  operations: readonly Operation[],
  mark: ExpectedImage,
): ExpectedImage {
  const steps: Record<string, Step> = { resize, crop, border, rotate, flip, grayscale, watermark: watermark(mark) }
  return operations.reduce((image, operation) => {
    const step = steps[operation.type]
    if (step === undefined) throw new RangeError(operation.type)
    return step(image, operation)
  }, source)
}

/** Makes both sides even, as videos need: an odd side repeats its last column or row. */
export function evened({ width, height, at }: ExpectedImage): ExpectedImage {
  return {
    width: width + (width % 2),
    height: height + (height % 2),
    at: (x, y) => at(Math.min(x, width - 1), Math.min(y, height - 1)),
  }
}

const number = (operation: Operation, name: string) => Number(operation[name] ?? 0)

const resize: Step = (image, operation) => {
  const [width, height] = [number(operation, 'width'), number(operation, 'height')]
  const [byWidth, byHeight] = [width / image.width, height / image.height]
  if (operation['crop_center'] === true) {
    const factor = Math.max(byWidth, byHeight)
    const whole = stretched(image, Math.round(image.width * factor), Math.round(image.height * factor))
    const [x, y] = [Math.floor((whole.width - width) / 2), Math.floor((whole.height - height) / 2)]
    return crop(whole, { type: 'crop', x, y, width, height })
  }
  if (operation['preserve_aspect_ratio'] === false) return stretched(image, width, height)
  const factor = Math.min(byWidth, byHeight)
  return stretched(image, Math.round(image.width * factor), Math.round(image.height * factor))
}

function stretched({ width, height, at }: ExpectedImage, toWidth: number, toHeight: number): ExpectedImage {
  const scaled = (to: number, length: number, toLength: number) =>
    Math.min(length - 1, Math.max(0, ((to + 0.5) * length) / toLength - 0.5))
  return {
    width: toWidth,
    height: toHeight,
    at: (x, y) => at(scaled(x, width, toWidth), scaled(y, height, toHeight)),
  }
}

const crop: Step = (image, operation) => {
  const [left, top] = [number(operation, 'x'), number(operation, 'y')]
  return {
    width: Math.min(number(operation, 'width'), image.width - left),
    height: Math.min(number(operation, 'height'), image.height - top),
    at: (x, y) => image.at(x + left, y + top),
  }
}

const border: Step = ({ width, height, at }, operation) => {
  const [left, top] = [number(operation, 'left'), number(operation, 'top')]
  return {
    width: width + left + number(operation, 'right'),
    height: height + top + number(operation, 'bottom'),
    at: (x, y) => (isWithin(x - left, y - top, width, height) ? at(x - left, y - top) : WHITE),
  }
}

const rotate: Step = ({ width, height, at }, operation) => {
  const angle = (number(operation, 'degrees') * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const size = {
    width: Math.round(width * Math.abs(cos) + height * Math.abs(sin)),
    height: Math.round(width * Math.abs(sin) + height * Math.abs(cos)),
  }
  return {
    ...size,
    at(toX, toY) {
      const [dx, dy] = [toX - (size.width - 1) / 2, toY - (size.height - 1) / 2]
      const x = dx * cos + dy * sin + (width - 1) / 2
      const y = dy * cos - dx * sin + (height - 1) / 2
      return isWithin(x, y, width, height) ? at(x, y) : WHITE
    },
  }
}

const flip: Step = ({ width, height, at }, operation) => ({
  width,
  height,
  at: (x, y) =>
    at(operation['horizontal'] === true ? width - 1 - x : x, operation['vertical'] === true ? height - 1 - y : y),
})

/** Computes brightness as standard-definition video does (ITU-R BT.601), because the test clips use this standard. */
const grayscale: Step = (image) => ({
  ...image,
  at(x, y) {
    const [red, green, blue] = image.at(x, y)
    const level = 0.299 * red + 0.587 * green + 0.114 * blue
    return [level, level, level]
  },
})

const watermark =
  (mark: ExpectedImage): Step =>
  (image, operation) => ({
    ...image,
    at(x, y) {
      const [markX, markY] = [x - number(operation, 'x'), y - number(operation, 'y')]
      return isWithin(markX, markY, mark.width, mark.height) ? mark.at(markX, markY) : image.at(x, y)
    },
  })

/** Returns whether a position is in an image. Each pixel extends half a pixel around its center. */
const isWithin = (x: number, y: number, width: number, height: number) =>
  x > -0.5 && y > -0.5 && x < width - 0.5 && y < height - 0.5
