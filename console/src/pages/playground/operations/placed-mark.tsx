import type { KeyboardEvent } from 'react'
import { text } from '../text.ts'
import type { Size } from './frame-size.ts'
import classes from './watermark-placer.module.css'

type Props = {
  /** The URL of the watermark's image. If undefined, only an outline is shown. */
  url: string | undefined
  at: { x: number; y: number }
  size: Size
  frame: Size
  onKeyDown: (event: KeyboardEvent) => void
  /** Called with the size of the watermark's file, or with `undefined` if this browser cannot display the file. */
  onSize: (size: Size | undefined) => void
}

export function PlacedMark({ url, at: { x, y }, size, frame, onKeyDown, onSize }: Props) {
  return (
    <button
      type="button"
      className={classes['mark']}
      aria-label={text.watermarkPosition(x, y)}
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
