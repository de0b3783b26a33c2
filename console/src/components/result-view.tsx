import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { loadPart } from '../app/load-part.ts'
import classes from './before-after.module.css'
import { Loading } from './loading.tsx'

const BeforeAfter = lazy(loadPart(async () => ({ default: (await import('./before-after.tsx')).BeforeAfter })))
const PICTURES = new Set(['jpg', 'png', 'webp', 'gif'])

type Props = { url: string; format: string; before: string | undefined }

/** A result as a browser can show it: a picture, beside its source where that is ours, or a video. */
export function ResultView({ url, format, before }: Props) {
  if (format === 'mp4') {
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- a result has no captions to show
    return <video className={classes['alone']} src={url} controls />
  }
  if (!PICTURES.has(format)) {
    return (
      <Text size="sm" c="dimmed">
        Browsers do not show a {format} inside a page: download it to look at it.
      </Text>
    )
  }
  if (before === undefined) return <img className={classes['alone']} src={url} alt="The result" />
  return (
    <Suspense fallback={<Loading rows={1} height={320} />}>
      <BeforeAfter before={before} after={url} />
    </Suspense>
  )
}
