import { Button, Checkbox, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { messagesByField } from '../../api/call-error.ts'
import type { NewKey } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { Problem } from '../../components/problem.tsx'
import { NO_RESTRICTIONS, restrictionsOf } from './restrictions.ts'

type Props = { opened: boolean; onClose: () => void; onMade: (key: NewKey) => void }

export function NewKeyDialog({ opened, onClose, onMade }: Props) {
  const form = useForm({ initialValues: { name: '', mode: 'test', ...NO_RESTRICTIONS } })
  const make = useChange<NewKey>({
    stale: ['/keys', '/audit'],
    showsErrors: false,
    onDone(key) {
      form.reset()
      onMade(key)
    },
  })
  const problems = messagesByField(make.error)
  const [isRestricted, { toggle }] = useDisclosure(false)
  /** Returns the message for a field. For an element of a list, "Each value" replaces the index in the message. */
  const problemOf = (field: string) =>
    Object.entries(problems)
      .find(([name]) => name.split('.', 1)[0] === field)?.[1]
      .replace(/^\d+ /, 'Each value ')
  const submit = ({ name, mode, ...restrictions }: typeof form.values) =>
    make.mutate({
      method: 'POST',
      path: '/keys',
      body: {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        livemode: mode === 'live',
        ...(isRestricted ? restrictionsOf(restrictions) : {}),
      },
    })
  return (
    <Modal opened={opened} onClose={onClose} title="New API key">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          {Object.keys(problems).length === 0 && <Problem error={make.error} />}
          <TextInput
            label="Name"
            description="Shown in the list of keys."
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
          <Checkbox
            label="Restrict the key"
            description="Recommended for a key that a web page contains. You cannot change the restrictions later."
            checked={isRestricted}
            onChange={toggle}
          />
          {isRestricted && (
            <>
              <TextInput
                label="Allowed endpoints"
                description="Endpoint names, separated by commas. If empty, all endpoints are allowed."
                placeholder="images/process, uploads"
                {...form.getInputProps('endpoints')}
                error={problemOf('endpoints')}
              />
              <TextInput
                label="Allowed templates"
                description="Template names, separated by commas. If empty, requests can contain any operations."
                placeholder="avatar"
                {...form.getInputProps('templates')}
                error={problemOf('templates_only')}
              />
              <Checkbox
                label="Only create requests"
                description="Otherwise, each visitor of a web page with this key can read the requests of the others."
                {...form.getInputProps('createOnly', { type: 'checkbox' })}
              />
              <TextInput
                label="Allowed origins"
                description="Origins of the web pages that use the key. If empty, all origins are allowed."
                placeholder="https://www.example.com"
                {...form.getInputProps('origins')}
                error={problemOf('origins')}
              />
              <TextInput
                label="Allowed client addresses"
                description="Addresses or CIDR blocks of the servers that use the key. If empty, all addresses are allowed."
                placeholder="203.0.113.7, 2001:db8::/32"
                {...form.getInputProps('addresses')}
                error={problemOf('addresses')}
              />
              <TextInput
                label="Daily spending limit"
                description="In dollars per UTC day."
                placeholder="2.00"
                inputMode="decimal"
                {...form.getInputProps('dailySpend')}
                error={problemOf('daily_spend')}
              />
              <TextInput
                label="Expires on"
                type="date"
                {...form.getInputProps('expiresOn')}
                error={problemOf('expires_at')}
              />
            </>
          )}
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
