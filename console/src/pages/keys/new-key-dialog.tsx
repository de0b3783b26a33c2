import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../api/call-error.ts'
import type { NewKey } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { Problem } from '../../components/problem.tsx'

type Props = { opened: boolean; onClose: () => void; onMade: (key: NewKey) => void }

/** Creates a key with a name and a mode. */
export function NewKeyDialog({ opened, onClose, onMade }: Props) {
  const form = useForm({ initialValues: { name: '', mode: 'test' } })
  const make = useChange<NewKey>({
    stale: ['/keys', '/audit'],
    tell: false,
    onDone(key) {
      form.reset()
      onMade(key)
    },
  })
  const problems = messagesByField(make.error)
  const submit = ({ name, mode }: typeof form.values) =>
    make.mutate({
      method: 'POST',
      path: '/keys',
      body: { ...(name.trim() === '' ? {} : { name: name.trim() }), livemode: mode === 'live' },
    })
  return (
    <Modal opened={opened} onClose={onClose} title="New API key">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          {Object.keys(problems).length === 0 && <Problem error={make.error} />}
          <TextInput
            label="Name"
            description="Helps you recognize the key later."
            placeholder="web shop"
            data-autofocus
            {...form.getInputProps('name')}
            error={problems['name']}
          />
          <Radio.Group label="Mode" {...form.getInputProps('mode')} error={problems['livemode']}>
            <Stack gap="xs" mt={6}>
              <Radio value="test" label="Test: free, real results, 10 calls a minute" />
              <Radio value="live" label="Live: uses the account’s credit" />
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              Create key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
