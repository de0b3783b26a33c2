import { Button, Menu, Text } from '@mantine/core'
import { MAX_OPERATIONS } from '@mediamill/contract/domain/limits'
import { IconPlus } from '@tabler/icons-react'
import type { Catalog } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { formatName } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { shared } from '../../../text.ts'
import type { Medium } from '../endpoints.ts'
import { text } from '../text.ts'
import type { useRecipe } from '../use-recipe.ts'
import { startOf } from './start-of.ts'
import { StepList } from './step-list.tsx'

type Props = {
  recipe: ReturnType<typeof useRecipe>
  medium: Medium
  problems: Record<string, string>
  previewUrl: string | undefined
}

export function OperationsPanel({ recipe, medium, problems, previewUrl }: Props) {
  const { draft, change, stepOf, sampleUrl } = recipe
  const catalog = useApi<Catalog>('/operations')
  const operations = catalog.data?.data[medium].operations ?? {}
  const add = (type: string) => change({ steps: [...draft.steps, stepOf(startOf(type, sampleUrl('logo.png')))] })
  return (
    <Panel title={shared.operations} about={text.operationsAbout}>
      <Read of={catalog}>
        {() => (
          <>
            <StepList
              recipe={recipe}
              operations={operations}
              problems={problems}
              medium={medium}
              previewUrl={previewUrl}
            />
            {problems['operations'] !== undefined && (
              <Text size="xs" c="var(--mantine-color-error)" role="alert" mb="xs">
                {problems['operations']}
              </Text>
            )}
            <Menu position="bottom-start" width={280}>
              <Menu.Target>
                <Button
                  variant="default"
                  fullWidth
                  leftSection={<IconPlus size={16} aria-hidden="true" />}
                  disabled={draft.steps.length >= MAX_OPERATIONS}
                >
                  {draft.steps.length >= MAX_OPERATIONS
                    ? text.operationLimitReached(MAX_OPERATIONS)
                    : text.addAnOperation}
                </Button>
              </Menu.Target>
              <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
                {Object.entries(operations).map(([type, { description }]) => (
                  <Menu.Item key={type} onClick={() => add(type)}>
                    <Text size="sm" fw={600}>
                      {formatName(type)}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {description}
                    </Text>
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </>
        )}
      </Read>
    </Panel>
  )
}
