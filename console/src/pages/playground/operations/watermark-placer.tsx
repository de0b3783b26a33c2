import { Text } from '@mantine/core'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useRef, useState } from 'react'
import { shownUrl } from '../../../api/shown-url.ts'
import { useEarlierCalls } from '../earlier/earlier-context.ts'
import type { Medium } from '../endpoints.ts'
import type { Operation } from '../recipe.ts'
import type { Size } from './frame-size.ts'
import { frameSize } from './frame-size.ts'
import { PlacedMark } from './placed-mark.tsx'
import { SourceFrame } from './source-frame.tsx'
import classes from './watermark-placer.module.css'

type Props = {
  operation: Operation
  medium: Medium
  /** The source by a URL that this page can load, where there is one. */
  picture: string | undefined
  before: Operation[]
  onChange: (operation: Operation) => void
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Of pictures that are longer than so many times their other side hardly a pixel would be seen. */
const MOST_DRAWN = 20

/** The size that a mark is drawn at until its own is known. */
const UNKNOWN: Size = { width: 160, height: 60 }

/** The picture with the watermark on it, which is placed by dragging it or by the arrow keys. */
export function WatermarkPlacer({ operation, medium, picture, before, onChange }: Props) {
  const [natural, setNatural] = useState<{ of: string; size: Size | undefined }>()
  const [marked, setMarked] = useState<{ of: string; size: Size | undefined }>()
  const { resolve } = useEarlierCalls()
  const logo = shownUrl(resolve(typeof operation['image_url'] === 'string' ? operation['image_url'] : ''))
  const size = natural?.of === picture ? natural?.size : undefined
  const mark = (marked?.of === logo ? marked?.size : undefined) ?? UNKNOWN
  const frame = size === undefined ? undefined : frameSize(size, before)
  const upright = before.some(({ type }) => type === 'orient')
  const at = { x: numberOf(operation['x']), y: numberOf(operation['y']) }
  const place = (x: number, y: number) => onChange({ ...operation, x: Math.round(x), y: Math.round(y) })
  /** How far the pointer is from the top left of the watermark while it drags, in pixels of the frame. */
  const grip = useRef<Point>(undefined)
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (grip.current === undefined || frame === undefined) return
    const point = pointIn(event, frame)
    place(point.x - grip.current.x, point.y - grip.current.y)
  }
  const startDrag = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || frame === undefined) return
    const point = pointIn(event, frame)
    const isOnMark = event.target instanceof Element && event.target.closest('button') !== null
    grip.current = isOnMark ? { x: point.x - at.x, y: point.y - at.y } : { x: mark.width / 2, y: mark.height / 2 }
    event.currentTarget.setPointerCapture(event.pointerId)
    if (!isOnMark) drag(event)
  }
  const endDrag = () => {
    grip.current = undefined
  }
  if (picture === undefined || medium === 'document') return null
  if (natural?.of === picture && natural.size === undefined) {
    return <Hint>This browser cannot show the source. Place the watermark by its numbers.</Hint>
  }
  if (frame !== undefined && Math.max(frame.width / frame.height, frame.height / frame.width) > MOST_DRAWN) {
    return <Hint>The image is too narrow to show here. Place the watermark by its numbers.</Hint>
  }
  const byKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const by = event.shiftKey ? 10 : 1
    place(at.x + step[0] * by, at.y + step[1] * by)
  }
  return (
    <div>
      <div
        className={classes['stage']}
        style={frame === undefined ? {} : { width: widthOf(frame) }}
        onPointerDown={startDrag}
        onPointerMove={drag}
        onPointerUp={endDrag}
        onPointerCancel={endDrag}
      >
        <SourceFrame
          // It is measured anew when it is another, or lies otherwise.
          key={`${picture} ${String(upright)}`}
          url={picture}
          medium={medium}
          upright={upright}
          frame={frame}
          onSize={(of) => setNatural({ of: picture, size: of })}
        />
        {frame !== undefined && (
          <PlacedMark
            url={marked?.of === logo && marked?.size === undefined ? undefined : logo}
            at={at}
            size={mark}
            frame={frame}
            onKeyDown={byKey}
            onSize={(of) => setMarked({ of: logo ?? '', size: of })}
          />
        )}
      </div>
      <Hint>
        {logo === undefined && 'This page loads no images of other hosts, so the watermark is shown as a frame. '}
        {logo !== undefined &&
          marked?.of === logo &&
          marked.size === undefined &&
          'The watermark cannot be shown here. '}
        Drag the watermark, or move it with the arrow keys; Shift moves it by ten pixels.
      </Hint>
    </div>
  )
}

type Point = { x: number; y: number }

/** Where the pointer is, in pixels of the frame, and no farther out than its edge. */
function pointIn({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>, { width, height }: Size): Point {
  const box = currentTarget.getBoundingClientRect()
  const part = (position: number, start: number, length: number) =>
    Math.min(1, Math.max(0, (position - start) / Math.max(1, length)))
  return { x: part(clientX, box.left, box.width) * width, y: part(clientY, box.top, box.height) * height }
}

/** As wide as there is room, and no higher than two thirds of the window. */
const widthOf = ({ width, height }: Size) => `min(100%, ${String((66 * width) / height)}vh)`

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0)

function Hint({ children }: { children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {children}
    </Text>
  )
}
