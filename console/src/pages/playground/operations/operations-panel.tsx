import { Text } from '@mantine/core'
import type { Catalog } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { shared } from '../../../text.ts'
import type { Medium } from '../endpoints.ts'
import { text } from '../text.ts'
import type { useRecipe } from '../use-recipe.ts'
import { stepOf } from '../use-recipe.ts'
import { AddOperation } from './add-operation.tsx'
import { startOf } from './start-of.ts'
import { StepList } from './step-list.tsx'

type Props = {
  recipe: ReturnType<typeof useRecipe>
  medium: Medium
  problems: Record<string, string>
  previewUrl: string | undefined
}

export function OperationsPanel({ recipe, medium, problems, previewUrl }: Props) {
  const { draft, change, sampleUrl } = recipe
  const catalog = useApi<Catalog>('/operations')
  const operations = catalog.data?.data[medium].operations ?? {}
  const add = (type: string) => change({ steps: [...draft.steps, stepOf(startOf(type, sampleUrl('logo.png')))] })
  return (
    <Panel title={shared.operations} about={text.operationsAbout}>
      <Read of={catalog}>
        {() => (
          <>
            <StepList
              steps={draft.steps}
              operations={operations}
              problems={problems}
              medium={medium}
              previewUrl={previewUrl}
              onChange={(steps) => change({ steps })}
            />
            {problems['operations'] !== undefined && (
              <Text size="xs" c="var(--mantine-color-error)" role="alert" mb="xs">
                {problems['operations']}
              </Text>
            )}
            <AddOperation operations={operations} count={draft.steps.length} onAdd={add} />
          </>
        )}
      </Read>
    </Panel>
  )
}
