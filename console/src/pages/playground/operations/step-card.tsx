import { useSortable } from '@dnd-kit/react/sortable'
import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGripVertical, IconTrash } from '@tabler/icons-react'
import type { CatalogOperation } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'
import type { Medium } from '../endpoints.ts'
import type { Operation } from '../operation.ts'
import { text } from '../text.ts'
import type { Step } from '../use-recipe.ts'
import { ParameterFields } from './parameter-fields.tsx'
import { slotCollision } from './slot-collision.ts'
import classes from './step-card.module.css'
import { WatermarkPlacer } from './watermark-placer.tsx'

type Props = {
  step: Step
  index: number
  last: boolean
  /** The declaration of the operation. Undefined if the operation does not support `medium`. */
  declared: CatalogOperation | undefined
  problems: Record<string, string>
  medium: Medium
  previewUrl: string | undefined
  before: Operation[]
  onChange: (operation: Operation) => void
  onMove: (by: number) => void
  onRemove: () => void
}

export function StepCard({ step, index, last, declared, problems, onChange, onMove, onRemove, ...placing }: Props) {
  const { ref, handleRef, isDragging } = useSortable({ id: step.id, index, collisionDetector: slotCollision })
  const { operation } = step
  const name = formatName(operation.type)
  return (
    <li
      ref={ref}
      className={classes['card']}
      data-dragging={isDragging || undefined}
      aria-label={`${String(index + 1)}. ${name}`}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Group gap={6} wrap="nowrap">
          <button ref={handleRef} type="button" className={classes['handle']} aria-label={text.moveOne(name)}>
            <IconGripVertical size={16} aria-hidden="true" />
          </button>
          <Text size="sm" fw={600}>
            {index + 1}. {name}
          </Text>
        </Group>
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={index === 0}
            onClick={() => onMove(-1)}
            aria-label={text.moveUp(name)}
          >
            <IconArrowUp size={16} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            disabled={last}
            onClick={() => onMove(1)}
            aria-label={text.moveDown(name)}
          >
            <IconArrowDown size={16} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" onClick={onRemove} aria-label={text.removeOne(name)}>
            <IconTrash size={16} aria-hidden="true" />
          </ActionIcon>
        </Group>
      </Group>
      {(problems[''] ?? problems['type']) !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {problems[''] ?? problems['type']}
        </Text>
      )}
      <Stack gap="sm" pt={4}>
        {declared !== undefined && (
          <ParameterFields operation={operation} declared={declared} problems={problems} onChange={onChange} />
        )}
        {operation.type === 'watermark' && <WatermarkPlacer operation={operation} {...placing} onChange={onChange} />}
      </Stack>
    </li>
  )
}
