import { useState } from 'react'
import type { Medium } from '../endpoints.ts'
import type { Size } from './frame-size.ts'

type Props = {
  url: string
  medium: Medium
  /** Whether the operations before turn the picture as its camera was held; the pixels are shown as stored otherwise. */
  upright: boolean
  /** The size that the operations before leave it. */
  frame: Size | undefined
  /** Tells the source's own size; `undefined` where this browser cannot show it. */
  onSize: (size: Size | undefined) => void
}

/** The source as it lies below a watermark. A picture, or the first moment of a video. */
export function SourceFrame({ url, medium, upright, frame, onSize }: Props) {
  const [measured, setMeasured] = useState(false)
  const shape =
    frame === undefined || !measured ? {} : { aspectRatio: `${String(frame.width)} / ${String(frame.height)}` }
  const tell = (size: Size | undefined) => {
    setMeasured(true)
    onSize(size)
  }
  if (medium === 'video') {
    return (
      <video
        src={url}
        muted
        playsInline
        preload="metadata"
        tabIndex={-1}
        style={shape}
        onLoadedMetadata={({ currentTarget: { videoWidth: width, videoHeight: height } }) => tell({ width, height })}
        onError={() => tell(undefined)}
      />
    )
  }
  return (
    <img
      src={url}
      alt=""
      draggable={false}
      style={{ ...shape, imageOrientation: upright ? 'from-image' : 'none' }}
      onLoad={({ currentTarget }) => tell(sizeAsLaidOut(currentTarget))}
      onError={() => tell(undefined)}
    />
  )
}

/** A picture's own size, turned as the page shows it: browsers tell it upright, however it is laid out. */
function sizeAsLaidOut({ naturalWidth, naturalHeight, clientWidth, clientHeight }: HTMLImageElement): Size {
  const isTurned = naturalWidth > naturalHeight !== clientWidth > clientHeight
  return isTurned ? { width: naturalHeight, height: naturalWidth } : { width: naturalWidth, height: naturalHeight }
}
