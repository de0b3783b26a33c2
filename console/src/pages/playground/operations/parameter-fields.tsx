import { SimpleGrid } from '@mantine/core'
import type { CatalogOperation } from '../../../api/objects.ts'
import type { Operation } from '../operation.ts'
import { ParameterField } from './parameter-field.tsx'

type Props = {
  operation: Operation
  declared: CatalogOperation
  problems: Record<string, string>
  onChange: (operation: Operation) => void
}

const WIDE = new Set(['image_url', 'name'])

export function ParameterFields({ operation, declared, problems, onChange }: Props) {
  const parameters = Object.entries(declared.params)
  if (parameters.length === 0) return null
  const set = (name: string, value: unknown) => {
    const { [name]: _old, ...others } = operation
    onChange((value === undefined ? others : { ...operation, [name]: value }) as Operation)
  }
  return (
    <SimpleGrid cols={{ base: 2 }} spacing="sm" verticalSpacing="xs">
      {parameters.map(([name, parameter]) => (
        <div key={name} style={WIDE.has(name) ? { gridColumn: '1 / -1' } : {}}>
          <ParameterField
            name={name}
            parameter={parameter}
            value={operation[name]}
            problem={problems[name]}
            onChange={(value) => set(name, value)}
          />
        </div>
      ))}
    </SimpleGrid>
  )
}
