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

export function KeysPage() {
  const keys = useApi<{ data: Key[] }>('/keys')
  const [asking, { open, close }] = useDisclosure(false)
  const [made, setMade] = useState<NewKey>()
  return (
    <>
      <PageHeader
        title="API keys"
        about="Live keys use the account’s credit. Test keys are free, with real results and lower limits."
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={open}>
            New key
          </Button>
        }
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={keys}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconKey} title="No keys yet">
                Create a key, and set it as MEDIAMILL_API_KEY in the environment of your program.
              </EmptyState>
            ) : (
              <KeyTable keys={data} />
            )
          }
        </Read>
      </Paper>
      <NewKeyDialog
        opened={asking}
        onClose={close}
        onMade={(key) => {
          close()
          setMade(key)
        }}
      />
      <SecretDialog
        title={made === undefined ? '' : `The new ${made.livemode ? 'live' : 'test'} key`}
        label="Key"
        secret={made?.secret}
        once
        onClose={() => setMade(undefined)}
      >
        Copy the key now: it is not shown again. Store it in the environment of your program, not in a repository.
      </SecretDialog>
    </>
  )
}
