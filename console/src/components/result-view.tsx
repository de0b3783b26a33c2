import { Anchor, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { loadPart } from '../app/load-part.ts'
import { shared } from '../text.ts'
import classes from './before-after.module.css'

const BeforeAfter = lazy(loadPart(async () => ({ default: (await import('./before-after.tsx')).BeforeAfter })))
const IMAGES = new Set(['jpg', 'png', 'webp', 'gif', 'avif'])

type Props = { url: string; format: string; before: string | undefined }

export function ResultView({ url, format, before }: Props) {
  if (format === 'mp4') {
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- a result has no captions to show
    return <video className={classes['alone']} src={url} controls />
  }
  if (!IMAGES.has(format)) {
    return (
      <Text size="sm" c="dimmed">
        {shared.imagesAndVideosOnly}{' '}
        {format === 'pdf' ? (
          <Anchor href={url} target="_blank" rel="noreferrer" underline="always">
            {shared.openThePdf}
          </Anchor>
        ) : (
          shared.downloadToView(format.toUpperCase())
        )}
      </Text>
    )
  }
  if (before === undefined) return <img className={classes['alone']} src={url} alt={shared.result} />
  return (
    <Suspense fallback={<div className={classes['box']} />}>
      <BeforeAfter before={before} after={url} />
    </Suspense>
  )
}
