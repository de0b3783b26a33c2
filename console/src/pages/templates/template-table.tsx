import { Code, Table, Text } from '@mantine/core'
import type { Template } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { number, unseen, wide } from '../../components/columns.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function TemplateTable({ templates }: { templates: Template[] }) {
  return (
    <TableFrame
      label={shared.templates}
      columns={[
        text.template,
        wide(text.newestVersion),
        number(text.versions),
        wide(text.lastChanged),
        unseen(shared.actions),
      ]}
    >
      {templates.map((template) => (
        <TemplateRow key={template.name} template={template} />
      ))}
    </TableFrame>
  )
}

/** A row for a template. Versions are numbered from 1 and deleted together, so the newest number is their count. */
function TemplateRow({ template: { id, name, version, endpoint, created_at } }: { template: Template }) {
  const remove = useChange({ stale: ['/templates'], done: text.removed(name) })
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/templates/$name" params={{ name }} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </TextLink>
        <Text size="xs" c="dimmed">
          {endpoint}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
      </Table.Td>
      <Table.Td ta="right">{version}</Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={created_at} />
      </Table.Td>
      <Table.Td ta="right">
        <ConfirmButton
          label={text.remove}
          size="compact-sm"
          question={text.removeQuestion(name)}
          confirm={text.removeTemplate}
          onConfirm={() => remove.mutate({ method: 'DELETE', path: `/templates/${name}` })}
        >
          {text.removeAbout(version)}
        </ConfirmButton>
      </Table.Td>
    </Table.Tr>
  )
}
