import { Text } from '@mantine/core'
import { useMove } from '@mantine/hooks'
import type { KeyboardEvent } from 'react'
import { useState } from 'react'
import { localUrl } from '../../../api/local-url.ts'
import type { Operation } from '../recipe.ts'
import type { Size } from './frame-size.ts'
import { frameSize } from './frame-size.ts'
import classes from './watermark-placer.module.css'

type Props = { operation: Operation; source: string; before: Operation[]; onChange: (operation: Operation) => void }

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const isShown = (url: string) => url.startsWith('blob:') || localUrl(url) !== url
const sizeOf = (image: HTMLImageElement): Size => ({ width: image.naturalWidth, height: image.naturalHeight })

/** The picture with the watermark on it, which is placed by dragging it or by the arrow keys. */
export function WatermarkPlacer({ operation, source, before, onChange }: Props) {
  const [natural, setNatural] = useState<Size>()
  const [mark, setMark] = useState<Size>({ width: 160, height: 60 })
  const frame = natural === undefined ? undefined : frameSize(natural, before)
  const x = typeof operation['x'] === 'number' ? operation['x'] : 0
  const y = typeof operation['y'] === 'number' ? operation['y'] : 0
  const logo = typeof operation['image_url'] === 'string' ? operation['image_url'] : ''
  const place = (left: number, top: number) => onChange({ ...operation, x: Math.round(left), y: Math.round(top) })
  const { ref } = useMove((at) => {
    if (frame !== undefined) place(at.x * frame.width - mark.width / 2, at.y * frame.height - mark.height / 2)
  })
  if (!isShown(source)) return null
  const percent = (part: number, whole: number) => `${String((100 * part) / whole)}%`
  const byKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const by = event.shiftKey ? 10 : 1
    place(x + step[0] * by, y + step[1] * by)
  }
  return (
    <div>
      <div ref={ref} className={classes['stage']}>
        <img
          src={localUrl(source)}
          alt=""
          draggable={false}
          onLoad={(event) => setNatural(sizeOf(event.currentTarget))}
          style={frame === undefined ? {} : { aspectRatio: `${String(frame.width)} / ${String(frame.height)}` }}
        />
        {frame !== undefined && (
          <button
            type="button"
            className={classes['mark']}
            aria-label={`Place of the watermark: ${String(x)} from the left, ${String(y)} from the top`}
            onKeyDown={byKey}
            style={{
              left: percent(x, frame.width),
              top: percent(y, frame.height),
              width: percent(mark.width, frame.width),
              height: percent(mark.height, frame.height),
            }}
          >
            {isShown(logo) && (
              <img
                src={localUrl(logo)}
                alt=""
                draggable={false}
                onLoad={(event) => setMark(sizeOf(event.currentTarget))}
              />
            )}
          </button>
        )}
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        Drag the watermark, or move it with the arrow keys; Shift moves it by ten pixels.
      </Text>
    </div>
  )
}
