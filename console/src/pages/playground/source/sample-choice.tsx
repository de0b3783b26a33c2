import { Group, Text } from '@mantine/core'
import { IconFileText, IconMovie } from '@tabler/icons-react'
import { localUrl } from '../../../api/local-url.ts'
import type { Medium } from '../endpoints.ts'
import { text } from '../text.ts'
import classes from './sample-choice.module.css'

type Props = { sample: string; medium: Medium }

export function SampleChoice({ sample, medium }: Props) {
  const MediumIcon = medium === 'video' ? IconMovie : IconFileText
  return (
    <Group gap="sm" wrap="nowrap" className={classes['sample'] ?? ''}>
      {medium === 'image' ? (
        <img src={localUrl(sample)} alt={text.sample} />
      ) : (
        <span>
          <MediumIcon size={26} stroke={1.5} aria-hidden="true" />
        </span>
      )}
      <div>
        <Text size="sm" fw={600}>
          {sample.split('/').at(-1)}
        </Text>
        <Text size="xs" c="dimmed">
          {text.sampleAbout}
        </Text>
      </div>
    </Group>
  )
}
