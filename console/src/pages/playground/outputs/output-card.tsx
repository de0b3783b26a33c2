import { ActionIcon, Group, NumberInput, Paper, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { shared } from '../../../text.ts'
import type { Medium } from '../endpoints.ts'
import type { Operation } from '../operation.ts'
import type { Output } from '../recipe.ts'
import { text } from '../text.ts'
import { ADVANCED, advancedFields } from './advanced.ts'
import { AdvancedFields } from './advanced-fields.tsx'
import type { OperationsOfOutputs } from './output-operations.tsx'
import { OutputOperations } from './output-operations.tsx'

type Props = {
  number: number
  output: Output
  medium: Medium
  ofOutputs: OperationsOfOutputs
  /** The output formats, with the default first. */
  formats: readonly string[]
  problems: Record<string, string>
  /** The reason why the last run could not make this file. */
  failure: string | undefined
  onChange: (part: Partial<Output>) => void
  onRemove: () => void
}

/** A form for one output. Lists the problems of fields that the form does not have below its fields. */
export function OutputCard({
  number,
  output,
  medium,
  ofOutputs,
  formats,
  problems,
  failure,
  onChange,
  onRemove,
}: Props) {
  const format = output.format ?? formats[0] ?? ''
  const advanced = advancedFields(medium, format)
  const box = `operations.${output.operations?.findIndex(isBox) ?? 0}`
  const shown = new Set(['', 'name', 'format', 'destination.url', ...advanced])
  const ofOperations = Object.keys(problems).filter((param) => /^operations\b/.test(param))
  const others = Object.entries(problems).flatMap(([param, message]) =>
    shown.has(param) || ofOperations.includes(param) ? [] : [message],
  )
  const chooseFormat = (chosen: string | null) => {
    const kept = advancedFields(medium, chosen ?? '')
    const dropped = ADVANCED.filter((field) => !kept.includes(field)).map((field) => [field, undefined])
    onChange({ format: chosen ?? undefined, ...Object.fromEntries(dropped) })
  }
  return (
    <Paper p="xs" mb="xs" role="group" aria-label={text.fileNumber(number)}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xs" flex={1} style={{ alignItems: 'end' }}>
          <TextInput
            label={shared.name}
            value={output.name ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ name: value === '' ? undefined : value })}
            error={problems['name'] ?? problems['']}
          />
          <Select
            label={text.format}
            data={formats}
            value={format}
            onChange={chooseFormat}
            allowDeselect={false}
            error={problems['format']}
          />
          <NumberInput
            label={text.longestSide}
            min={1}
            max={20_000}
            allowDecimal={false}
            suffix={text.px}
            value={sideOf(output) ?? ''}
            onChange={(side) => onChange({ operations: withSide(output, side === '' ? undefined : Number(side)) })}
            error={problems[`${box}.width`]}
          />
        </SimpleGrid>
        <ActionIcon variant="default" size="input-sm" aria-label={text.removeFile(number)} onClick={onRemove}>
          <IconTrash size={16} aria-hidden="true" />
        </ActionIcon>
      </Group>
      <OutputOperations
        {...ofOutputs}
        operations={output.operations ?? []}
        problems={problems}
        isInvalid={ofOperations.some((param) => param !== `${box}.width` && param !== `${box}.height`)}
        onChange={(operations) => onChange({ operations: operations.length === 0 ? undefined : operations })}
      />
      <AdvancedFields output={output} fields={advanced} problems={problems} onChange={onChange} />
      {[...others, ...(failure === undefined ? [] : [failure])].map((message) => (
        <Text key={message} size="xs" c="var(--mantine-color-error)" role="alert" mt={4}>
          {message}
        </Text>
      ))}
    </Paper>
  )
}

const isBox = ({ type, width, height }: Operation) => type === 'resize' && width === height

function sideOf({ operations = [] }: Output): number | undefined {
  const side = operations.find(isBox)?.['width']
  return typeof side === 'number' ? side : undefined
}

/** Sets both sides of the box that an output must fit in. The service reports an undefined side as missing. */
function withSide({ operations = [] }: Output, side: number | undefined): Operation[] {
  const at = operations.findIndex(isBox)
  if (at === -1) return [{ type: 'resize', width: side, height: side }, ...operations]
  return operations.map((operation, index) => (index === at ? { ...operation, width: side, height: side } : operation))
}
