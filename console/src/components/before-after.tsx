import { Box, Text } from '@mantine/core'
import { useState } from 'react'
import { ReactCompareSlider, ReactCompareSliderImage } from 'react-compare-slider'
import { shared } from '../text.ts'
import classes from './before-after.module.css'

type Props = { before: string; after: string }

/** Two images with a line between them. The pointer or the arrow keys move the line. */
export function BeforeAfter({ before, after }: Props) {
  const [unreadable, setUnreadable] = useState<string>()
  if (unreadable === before) {
    return (
      <>
        <Text size="sm" c="dimmed" mb="xs">
          {shared.onlyTheResultIsShown}
        </Text>
        <img className={classes['alone']} src={after} alt={shared.result} />
      </>
    )
  }
  return (
    <Box className={classes['frame']}>
      <ReactCompareSlider
        className={classes['slider']}
        aria-label={shared.dividerBetweenSourceAndResult}
        itemOne={
          <ReactCompareSliderImage
            src={before}
            alt={shared.source}
            style={{ objectFit: 'contain' }}
            onError={() => setUnreadable(before)}
          />
        }
        itemTwo={<ReactCompareSliderImage src={after} alt={shared.result} style={{ objectFit: 'contain' }} />}
      />
      <span className={classes['label']} data-side="left" aria-hidden="true">
        {shared.before}
      </span>
      <span className={classes['label']} data-side="right" aria-hidden="true">
        {shared.after}
      </span>
    </Box>
  )
}
