import { useState } from 'react'
import type { Medium } from '../endpoints.ts'
import type { Size } from './frame-size.ts'

type Props = {
  url: string
  medium: Medium
  /** Whether the image is shown with its EXIF orientation: only if an earlier operation applies the orientation. */
  upright: boolean
  frame: Size | undefined
  onSize: (size: Size | undefined) => void
}

export function SourceFrame({ url, medium, upright, frame, onSize }: Props) {
  const [measured, setMeasured] = useState(false)
  const shape =
    frame === undefined || !measured ? {} : { aspectRatio: `${String(frame.width)} / ${String(frame.height)}` }
  const reportSize = (size: Size | undefined) => {
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
        onLoadedMetadata={({ currentTarget: { videoWidth: width, videoHeight: height } }) =>
          reportSize({ width, height })
        }
        onError={() => reportSize(undefined)}
      />
    )
  }
  return (
    <img
      src={url}
      alt=""
      draggable={false}
      style={{ ...shape, imageOrientation: upright ? 'from-image' : 'none' }}
      onLoad={({ currentTarget }) => reportSize(sizeAsLaidOut(currentTarget))}
      onError={() => reportSize(undefined)}
    />
  )
}

/** Returns the displayed size of an image. `naturalWidth` and `naturalHeight` always include the EXIF orientation. */
function sizeAsLaidOut({ naturalWidth, naturalHeight, clientWidth, clientHeight }: HTMLImageElement): Size {
  const isTurned = naturalWidth > naturalHeight !== clientWidth > clientHeight
  return isTurned ? { width: naturalHeight, height: naturalWidth } : { width: naturalWidth, height: naturalHeight }
}
