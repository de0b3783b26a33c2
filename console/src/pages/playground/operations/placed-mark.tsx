import type { KeyboardEvent } from 'react'
import type { Size } from './frame-size.ts'
import classes from './watermark-placer.module.css'

type Props = {
  /** `undefined` leaves a frame alone. */
  url: string | undefined
  at: { x: number; y: number }
  size: Size
  frame: Size
  onKeyDown: (event: KeyboardEvent) => void
  /** Tells the mark's own size; `undefined` where this browser cannot show it. */
  onSize: (size: Size | undefined) => void
}

/** The watermark where it is going to lie, at its own size in the frame's pixels. */
export function PlacedMark({ url, at: { x, y }, size, frame, onKeyDown, onSize }: Props) {
  return (
    <button
      type="button"
      className={classes['mark']}
      aria-label={`Place of the watermark: ${String(x)} from the left, ${String(y)} from the top`}
      onKeyDown={onKeyDown}
      style={{
        left: percent(x, frame.width),
        top: percent(y, frame.height),
        width: percent(size.width, frame.width),
        height: percent(size.height, frame.height),
      }}
    >
      {url !== undefined && (
        <img
          key={url}
          src={url}
          alt=""
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => onSize({ width, height })}
          onError={() => onSize(undefined)}
        />
      )}
    </button>
  )
}

const percent = (part: number, whole: number) => `${String((100 * part) / whole)}%`
