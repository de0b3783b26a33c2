import { Button, Group, SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { localUrl } from '../../api/local-url.ts'
import { useSession } from '../../api/queries/session.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { shared } from '../../text.ts'
import { UploadField } from '../playground/source/upload-field.tsx'
import { FilterTile } from './filter-tile.tsx'
import { text } from './text.ts'
import { trialsOf } from './trials-of.ts'
import { useTrials } from './use-trials.ts'

export function FiltersPage() {
  const { service } = useSession()
  const sample = `${service.base_url}/docs/samples/photo.jpg`
  const [kind, setKind] = useState<'filters' | 'operations'>('filters')
  const [source, setSource] = useState(sample)
  const [image, setImage] = useState<string>()
  const trials = trialsOf(kind, `${service.base_url}/docs/samples/logo.png`)
  const outcomes = useTrials(source)
  return (
    <>
      <PageHeader
        title={text.filtersAndOperations}
        about={text.filtersAndOperationsAbout}
        actions={
          <>
            <Button onClick={() => outcomes.run(trials)}>{text.runAll(trials.length)}</Button>
            <SegmentedControl
              aria-label={text.showFiltersOrOperations}
              data={[
                { value: 'filters', label: shared.filters },
                { value: 'operations', label: shared.operations },
              ]}
              value={kind}
              onChange={(value) => setKind(value as typeof kind)}
            />
          </>
        }
      />
      <Stack gap="md">
        <Panel title={text.yourImage}>
          <Group align="stretch" gap="md" wrap="wrap">
            <img
              src={image ?? localUrl(sample)}
              alt={text.withoutAFilter}
              style={{ height: 96, maxWidth: 180, borderRadius: 8, objectFit: 'cover' }}
            />
            <div style={{ flex: '1 1 240px' }}>
              <UploadField
                medium="image"
                source={source}
                problem={undefined}
                onUploaded={(uploaded, shown) => {
                  setSource(uploaded)
                  setImage(shown)
                }}
              />
            </div>
          </Group>
        </Panel>
        <SimpleGrid cols={{ base: 2, sm: 3, md: 4, lg: 5 }} spacing="sm">
          {trials.map((trial) => (
            <FilterTile
              key={trial.name}
              trial={trial}
              source={source}
              outcome={outcomes.of(trial.name)}
              onRun={() => outcomes.run([trial])}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </>
  )
}
