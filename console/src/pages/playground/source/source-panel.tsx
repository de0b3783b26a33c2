import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { LateTextInput } from '../../../components/late-text-input.tsx'
import { Panel } from '../../../components/panel.tsx'
import { endpointNamed } from '../endpoints.ts'
import type { useRecipe } from '../use-recipe.ts'
import { SampleChoice } from './sample-choice.tsx'
import { UploadField } from './upload-field.tsx'

type Way = 'sample' | 'upload' | 'url'
type Props = {
  recipe: ReturnType<typeof useRecipe>
  problem: string | undefined
  onPicture: (source: string, url: string) => void
}

/** A form for the source: a built-in sample, an uploaded file, or a URL. */
export function SourcePanel({ recipe: { draft, change, sampleUrl }, problem, onPicture }: Props) {
  const { medium, sample } = endpointNamed(draft.endpoint)
  const [way, setWay] = useState<Way>(() => wayOf(draft.source, sampleUrl('')))
  const choose = (next: Way) => {
    setWay(next)
    if (next === 'sample') change({ source: sampleUrl(sample) })
  }
  return (
    <Panel title="Source">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Source type"
          fullWidth
          data={[
            { value: 'sample', label: 'Sample' },
            { value: 'upload', label: 'Your file' },
            { value: 'url', label: 'URL' },
          ]}
          value={way}
          onChange={(value) => choose(value as Way)}
        />
        {way === 'sample' && <SampleChoice source={draft.source} sample={sampleUrl(sample)} medium={medium} />}
        {way === 'upload' && (
          <UploadField
            medium={medium}
            source={draft.source}
            problem={problem}
            onUploaded={(source, picture) => {
              change({ source })
              if (picture !== undefined) onPicture(source, picture)
            }}
          />
        )}
        {way === 'url' && (
          <LateTextInput
            label="Public http or https URL"
            type="url"
            placeholder="https://example.com/photo.jpg"
            value={draft.source.startsWith('upload:') ? '' : draft.source}
            onLate={(source) => change({ source: source.trim() })}
            error={problem}
          />
        )}
      </Stack>
    </Panel>
  )
}

function wayOf(source: string, samples: string): Way {
  if (source.startsWith('upload:')) return 'upload'
  return source.startsWith(samples) ? 'sample' : 'url'
}
