import { NumberInput, Select, SimpleGrid } from '@mantine/core'
import { Panel } from '../../components/panel.tsx'
import { endpointNamed, PLAYGROUND_ENDPOINTS } from './endpoints.ts'
import { text } from './text.ts'
import type { useRecipe } from './use-recipe.ts'
import { firstNumbers } from './use-recipe.ts'

type Props = { recipe: ReturnType<typeof useRecipe>; problems: Record<string, string> }

export function EndpointPanel({ recipe: { draft, change, sampleUrl }, problems }: Props) {
  const endpoint = endpointNamed(draft.endpoint)
  const choose = (name: string | null) => {
    const next = endpointNamed(name ?? undefined)
    const otherMedium = next.medium !== endpoint.medium
    change({
      endpoint: next.name,
      numbers: firstNumbers(next.name),
      format: undefined,
      level: undefined,
      outputs: [],
      ...(otherMedium ? { source: sampleUrl(next.sample), steps: [], earlier: [] } : {}),
    })
  }
  return (
    <Panel title={text.endpoint}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={text.endpoint}
          data={PLAYGROUND_ENDPOINTS.map(({ name, label }) => ({ value: name, label }))}
          value={endpoint.name}
          onChange={choose}
          allowDeselect={false}
          style={{ gridColumn: '1 / -1' }}
        />
        {endpoint.formats.length > 1 && draft.outputs.length === 0 && (
          <Select
            label={text.outputFormat}
            data={[...endpoint.formats]}
            value={draft.format ?? endpoint.formats[0] ?? null}
            onChange={(format) => change({ format: format ?? undefined })}
            allowDeselect={false}
            error={problems['output.format']}
          />
        )}
        {endpoint.levels !== undefined && (
          <Select
            label={text.level}
            description={text.levelDescription}
            data={[...endpoint.levels]}
            value={draft.level ?? endpoint.levels[0] ?? null}
            onChange={(level) => change({ level: level ?? undefined })}
            allowDeselect={false}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            error={problems['level']}
          />
        )}
        {endpoint.numbers.map(({ name, label, minimum, maximum, required }) => (
          <NumberInput
            key={name}
            label={label}
            withAsterisk={required}
            min={minimum}
            max={maximum}
            clampBehavior="none"
            allowDecimal={false}
            value={draft.numbers[name] ?? ''}
            onChange={(value) => {
              const { [name]: _old, ...others } = draft.numbers
              change({ numbers: typeof value === 'number' ? { ...others, [name]: value } : others })
            }}
            error={problems[name]}
          />
        ))}
      </SimpleGrid>
    </Panel>
  )
}
