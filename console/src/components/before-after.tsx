import { Box, Text } from '@mantine/core'
import { useState } from 'react'
import { ReactCompareSlider, ReactCompareSliderImage } from 'react-compare-slider'
import classes from './before-after.module.css'

type Props = { before: string; after: string }

/** Two images on top of each other, with a line between them. The pointer or the arrow keys move the line. */
export function BeforeAfter({ before, after }: Props) {
  const [unreadable, setUnreadable] = useState<string>()
  if (unreadable === before) {
    return (
      <>
        <Text size="sm" c="dimmed" mb="xs">
          Your browser can’t display the format of the source, so only the result is shown.
        </Text>
        <img className={classes['alone']} src={after} alt="Result" />
      </>
    )
  }
  return (
    <Box className={classes['frame']}>
      <ReactCompareSlider
        className={classes['slider']}
        aria-label="Divider between source and result"
        itemOne={
          <ReactCompareSliderImage
            src={before}
            alt="Source"
            style={{ objectFit: 'contain' }}
            onError={() => setUnreadable(before)}
          />
        }
        itemTwo={<ReactCompareSliderImage src={after} alt="Result" style={{ objectFit: 'contain' }} />}
      />
      <span className={classes['label']} data-side="left" aria-hidden="true">
        Before
      </span>
      <span className={classes['label']} data-side="right" aria-hidden="true">
        After
      </span>
    </Box>
  )
}
