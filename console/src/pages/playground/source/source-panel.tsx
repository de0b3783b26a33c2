import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { LateTextInput } from '../../../components/late-text-input.tsx'
import { Panel } from '../../../components/panel.tsx'
import { shared } from '../../../text.ts'
import { endpointNamed } from '../endpoints.ts'
import { text } from '../text.ts'
import type { useRecipe } from '../use-recipe.ts'
import { SampleChoice } from './sample-choice.tsx'
import { UploadField } from './upload-field.tsx'

type SourceKind = 'sample' | 'upload' | 'url'
type Props = {
  recipe: ReturnType<typeof useRecipe>
  problem: string | undefined
  onImage: (source: string, url: string) => void
}

export function SourcePanel({ recipe: { draft, change, sampleUrl }, problem, onImage }: Props) {
  const { medium, sample } = endpointNamed(draft.endpoint)
  const [kind, setKind] = useState<SourceKind>(() => kindOf(draft.source, sampleUrl('')))
  const choose = (next: SourceKind) => {
    setKind(next)
    if (next === 'sample') change({ source: sampleUrl(sample) })
    // Otherwise, the playground would run the source of the tab that the user left.
    else if (draft.source.startsWith('upload:') !== (next === 'upload')) change({ source: '' })
  }
  return (
    <Panel title={shared.source}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={text.sourceType}
          fullWidth
          data={[
            { value: 'sample', label: text.sample },
            { value: 'upload', label: text.yourFile },
            { value: 'url', label: text.url },
          ]}
          value={kind}
          onChange={(value) => choose(value as SourceKind)}
        />
        {kind === 'sample' && <SampleChoice sample={draft.source} medium={medium} />}
        {kind === 'upload' && (
          <UploadField
            medium={medium}
            source={draft.source}
            problem={problem}
            onUploaded={(source, previewUrl) => {
              change({ source })
              if (previewUrl !== undefined) onImage(source, previewUrl)
            }}
          />
        )}
        {kind === 'url' && (
          <LateTextInput
            label={text.publicHttpOrHttpsUrl}
            type="url"
            placeholder={text.publicHttpOrHttpsUrlPlaceholder}
            value={draft.source}
            onLate={(source) => change({ source: source.trim() })}
            error={problem}
          />
        )}
      </Stack>
    </Panel>
  )
}

function kindOf(source: string, samples: string): SourceKind {
  if (source.startsWith('upload:')) return 'upload'
  return source.startsWith(samples) ? 'sample' : 'url'
}
