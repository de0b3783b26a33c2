import { Button, Paper } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTemplate } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { List, Template } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Pager } from '../../components/pager.tsx'
import { Read } from '../../components/read.tsx'
import { shared } from '../../text.ts'
import { EXAMPLE } from './definition.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplateTable } from './template-table.tsx'
import { text } from './text.ts'

export function TemplatesPage() {
  const [after, setAfter] = useState<string>()
  const templates = useApi<List<Template>>('/templates', { query: { after }, keep: true })
  const [isDialogOpen, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  const newTemplate = (
    <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={open}>
      {text.newTemplate}
    </Button>
  )
  return (
    <>
      <PageHeader title={shared.templates} about={text.templatesAbout} actions={newTemplate} />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={templates}>
          {({ data, has_more }) =>
            data.length === 0 && after === undefined ? (
              <EmptyState icon={IconTemplate} title={text.noTemplatesYet}>
                {text.noTemplatesYetAbout}
              </EmptyState>
            ) : (
              <>
                <TemplateTable templates={data} />
                <Pager page={{ data, has_more }} after={after} onTurn={setAfter} />
              </>
            )
          }
        </Read>
      </Paper>
      <TemplateDialog
        opened={isDialogOpen}
        title={text.newTemplate}
        first={EXAMPLE}
        submit={text.createTemplate}
        onClose={close}
        onSaved={({ name }) => void navigate({ to: '/templates/$name', params: { name } })}
      />
    </>
  )
}
