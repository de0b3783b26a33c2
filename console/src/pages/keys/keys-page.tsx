import { Button, Paper } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Key, NewKey } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Read } from '../../components/read.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { KeyTable } from './key-table.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { text } from './text.ts'

export function KeysPage() {
  const keys = useApi<{ data: Key[] }>('/keys')
  const [isDialogOpen, { open, close }] = useDisclosure(false)
  const [newKey, setNewKey] = useState<NewKey>()
  return (
    <>
      <PageHeader
        title={text.apiKeys}
        about={text.apiKeysAbout}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={open}>
            {text.newKey}
          </Button>
        }
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={keys}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconKey} title={text.noKeysYet}>
                {text.noKeysYetAbout}
              </EmptyState>
            ) : (
              <KeyTable keys={data} />
            )
          }
        </Read>
      </Paper>
      <NewKeyDialog
        opened={isDialogOpen}
        onClose={close}
        onCreated={(key) => {
          close()
          setNewKey(key)
        }}
      />
      <SecretDialog
        title={newKey === undefined ? '' : text.theNewKey(newKey.livemode ? 'live' : 'test')}
        label={text.key}
        secret={newKey?.secret}
        once
        onClose={() => setNewKey(undefined)}
      >
        {text.copyKeyNow}
      </SecretDialog>
    </>
  )
}
