import { Text } from '@mantine/core'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useRef, useState } from 'react'
import { shownUrl } from '../../../api/shown-url.ts'
import { useEarlierCalls } from '../earlier/earlier-context.ts'
import type { Medium } from '../endpoints.ts'
import type { Operation } from '../operation.ts'
import { text } from '../text.ts'
import { fromEdges, scaledSize, toEdges } from './anchored-position.ts'
import type { Size } from './frame-size.ts'
import { frameSize } from './frame-size.ts'
import { PlacedMark } from './placed-mark.tsx'
import { SourceFrame } from './source-frame.tsx'
import classes from './watermark-placer.module.css'

type Props = {
  operation: Operation
  medium: Medium
  previewUrl: string | undefined
  before: Operation[]
  onChange: (operation: Operation) => void
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The maximum ratio of the sides of a source image that is shown. */
const MAX_SIDE_RATIO = 20

const UNKNOWN: Size = { width: 160, height: 60 }

export function WatermarkPlacer({ operation, medium, previewUrl, before, onChange }: Props) {
  const [natural, setNatural] = useState<{ of: string; size: Size | undefined }>()
  const [marked, setMarked] = useState<{ of: string; size: Size | undefined }>()
  const { resolve } = useEarlierCalls()
  const logo = shownUrl(resolve(typeof operation['image_url'] === 'string' ? operation['image_url'] : ''))
  const size = natural?.of === previewUrl ? natural?.size : undefined
  const frame = size === undefined ? undefined : frameSize(size, before)
  const stored = (marked?.of === logo ? marked?.size : undefined) ?? UNKNOWN
  const box = frame ?? UNKNOWN
  const mark = scaledSize(operation['scale'], box, stored)
  const upright = before.some(({ type }) => type === 'orient')
  const { gravity } = operation
  const at = toEdges(gravity, { x: numberOf(operation['x']), y: numberOf(operation['y']) }, box, mark)
  const move = (x: number, y: number) =>
    onChange({ ...operation, ...fromEdges(gravity, { x: Math.round(x), y: Math.round(y) }, box, mark) })
  /** The distance from the top left corner of the dragged watermark to the pointer, in pixels of the frame. */
  const grip = useRef<Point>(undefined)
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (grip.current === undefined || frame === undefined) return
    const point = pointIn(event, frame)
    move(point.x - grip.current.x, point.y - grip.current.y)
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
  if (previewUrl === undefined || medium === 'document') return null
  if (natural?.of === previewUrl && natural.size === undefined) {
    return <Hint>{text.fileNotShown}</Hint>
  }
  if (frame !== undefined && Math.max(frame.width / frame.height, frame.height / frame.width) > MAX_SIDE_RATIO) {
    return <Hint>{text.imageTooNarrow}</Hint>
  }
  const byKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const by = event.shiftKey ? 10 : 1
    move(at.x + step[0] * by, at.y + step[1] * by)
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
          // A new key creates a new frame, which measures the source again after the URL or the orientation changed.
          key={`${previewUrl} ${String(upright)}`}
          url={previewUrl}
          medium={medium}
          upright={upright}
          frame={frame}
          onSize={(of) => setNatural({ of: previewUrl, size: of })}
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
        {logo === undefined && `${text.imagesOnOtherSites} `}
        {logo !== undefined && marked?.of === logo && marked.size === undefined && `${text.watermarkNotShown} `}
        {text.dragTheWatermark}
      </Hint>
    </div>
  )
}

type Point = { x: number; y: number }

function pointIn({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>, { width, height }: Size): Point {
  const box = currentTarget.getBoundingClientRect()
  const part = (position: number, start: number, length: number) =>
    Math.min(1, Math.max(0, (position - start) / Math.max(1, length)))
  return { x: part(clientX, box.left, box.width) * width, y: part(clientY, box.top, box.height) * height }
}

/** Returns the frame's CSS width: the page's width, or less to limit the frame's height to 66 % of the window. */
const widthOf = ({ width, height }: Size) => `min(100%, ${String((66 * width) / height)}vh)`

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0)

function Hint({ children }: { children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed" mt={4}>
      {children}
    </Text>
  )
}
