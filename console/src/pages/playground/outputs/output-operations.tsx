import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { CatalogOperation } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'
import type { Operation } from '../operation.ts'
import { AddOperation } from '../operations/add-operation.tsx'
import { startOf } from '../operations/start-of.ts'
import { StepList } from '../operations/step-list.tsx'
import { text } from '../text.ts'
import type { Step } from '../use-recipe.ts'
import { stepOf } from '../use-recipe.ts'

export type OperationsOfOutputs = {
  declared: Record<string, CatalogOperation>
  /** The operations of the request, which run before the operations of each output. */
  earlier: Operation[]
  previewUrl: string | undefined
  logoUrl: string
}

type Props = OperationsOfOutputs & {
  operations: Operation[]
  problems: Record<string, string>
  isInvalid: boolean
  onChange: (operations: Operation[]) => void
}

/** The operations of one output. The list is open after a click, or if one of its fields is invalid. */
export function OutputOperations({ declared, logoUrl, operations, problems, isInvalid, onChange, ...placing }: Props) {
  const [isOpened, setOpened] = useState(false)
  const [steps, setSteps] = useState<Step[]>([])
  const shown = operations.map((operation, index) => {
    const step = steps[index]
    return step?.operation.type === operation.type ? { ...step, operation } : stepOf(operation)
  })
  if (shown.length !== steps.length || shown.some(({ operation }, index) => operation !== steps[index]?.operation))
    setSteps(shown)
  const change = (next: Step[]) => {
    setSteps(next)
    onChange(next.map(({ operation }) => operation))
  }
  const isOpen = isOpened || isInvalid
  return (
    <details open={isOpen} onToggle={({ currentTarget: { open } }) => setOpened(open)}>
      <Text component="summary" size="xs" c="dimmed" mt={6} w="fit-content" style={{ cursor: 'pointer' }}>
        {text.operationsOfFile(operations.map(({ type }) => formatName(type)).join(', '))}
      </Text>
      {isOpen && (
        <Stack gap={0} pt={6}>
          <StepList
            steps={steps}
            operations={declared}
            problems={problems}
            medium="image"
            onChange={change}
            {...placing}
          />
          {problems['operations'] !== undefined && (
            <Text size="xs" c="var(--mantine-color-error)" role="alert" mb="xs">
              {problems['operations']}
            </Text>
          )}
          <AddOperation
            operations={declared}
            count={steps.length}
            onAdd={(type) => change([...steps, stepOf(startOf(type, logoUrl))])}
          />
        </Stack>
      )}
    </details>
  )
}
