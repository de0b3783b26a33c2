import { StyleInjector } from '@dnd-kit/dom'
import { DragDropProvider } from '@dnd-kit/react'
import { isSortableOperation } from '@dnd-kit/react/sortable'
import type { CatalogOperation } from '../../../api/objects.ts'
import { styleNonce } from '../../../app/page-settings.ts'
import type { Medium } from '../endpoints.ts'
import { messagesUnder } from '../messages-under.ts'
import type { Operation } from '../operation.ts'
import type { Step } from '../use-recipe.ts'
import { StepCard } from './step-card.tsx'
import classes from './step-list.module.css'

type Props = {
  steps: Step[]
  /** The operations that run before these steps. */
  earlier?: Operation[]
  operations: Record<string, CatalogOperation>
  problems: Record<string, string>
  medium: Medium
  previewUrl: string | undefined
  onChange: (steps: Step[]) => void
}

export function StepList({ steps, earlier = [], operations, problems, medium, previewUrl, onChange }: Props) {
  const move = (from: number, to: number) => {
    const moved = steps[from]
    if (moved === undefined || to < 0 || to >= steps.length) return
    onChange(steps.toSpliced(from, 1).toSpliced(to, 0, moved))
  }
  return (
    <DragDropProvider
      // The library adds a style element. The content security policy requires a nonce for it.
      plugins={(defaults) => [...defaults, StyleInjector.configure({ nonce: styleNonce })]}
      onDragEnd={({ operation, canceled }) => {
        if (canceled || !isSortableOperation(operation) || operation.source === null) return
        move(operation.source.initialIndex, operation.source.index)
      }}
    >
      <ol className={classes['list']}>
        {steps.map((step, index) => (
          <StepCard
            key={step.id}
            step={step}
            index={index}
            last={index === steps.length - 1}
            declared={Object.hasOwn(operations, step.operation.type) ? operations[step.operation.type] : undefined}
            problems={messagesUnder(problems, `operations.${String(index)}`)}
            medium={medium}
            previewUrl={previewUrl}
            before={[...earlier, ...steps.slice(0, index).map(({ operation }) => operation)]}
            onChange={(operation) => onChange(steps.with(index, { ...step, operation }))}
            onMove={(by) => move(index, index + by)}
            onRemove={() => onChange(steps.toSpliced(index, 1))}
          />
        ))}
      </ol>
    </DragDropProvider>
  )
}
