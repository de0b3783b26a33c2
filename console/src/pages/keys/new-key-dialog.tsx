import { Button, Checkbox, Group, Modal, MultiSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { ENDPOINT_NAMES } from '@mediamill/cli/src/operations/endpoint-names'
import { restrictableCalls } from '@mediamill/contract/domain/key-restrictions'
import { messagesByField } from '../../api/call-error.ts'
import type { NewKey } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { Problem } from '../../components/problem.tsx'
import { shared } from '../../text.ts'
import { NO_RESTRICTIONS, restrictionsOf } from './restrictions.ts'
import { text } from './text.ts'

/** The calls that a key can be restricted to. */
const CALLS = restrictableCalls(ENDPOINT_NAMES.map((name) => ({ name })))

type Props = { opened: boolean; onClose: () => void; onCreated: (key: NewKey) => void }

export function NewKeyDialog({ opened, onClose, onCreated }: Props) {
  const form = useForm({ initialValues: { name: '', mode: 'test', ...NO_RESTRICTIONS } })
  const create = useChange<NewKey>({
    stale: ['/keys', '/audit'],
    showsErrors: false,
    onDone(key) {
      form.reset()
      onCreated(key)
    },
  })
  const problems = messagesByField(create.error)
  const [isRestricted, { toggle }] = useDisclosure(false)
  const [isMissing, { open: showMissing, close: hideMissing }] = useDisclosure(false)
  /** Returns the problem of a field. For an element of a list, "Each value" replaces the index in the message. */
  const problemOf = (field: string) =>
    Object.entries(problems)
      .find(([name]) => name.split('.', 1)[0] === field)?.[1]
      .replace(/^\d+ /, text.eachValue)
  const submit = ({ name, mode, ...fields }: typeof form.values) => {
    const restrictions = isRestricted ? restrictionsOf(fields) : {}
    // Without this error, the service would create a key without restrictions.
    if (isRestricted && Object.keys(restrictions).length === 0) return showMissing()
    hideMissing()
    create.mutate({
      method: 'POST',
      path: '/keys',
      body: {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        livemode: mode === 'live',
        ...restrictions,
      },
    })
  }
  return (
    <Modal opened={opened} onClose={onClose} title={text.newApiKey}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          {Object.keys(problems).length === 0 && <Problem error={create.error} />}
          <TextInput
            label={shared.name}
            description={text.nameDescription}
            placeholder={text.namePlaceholder}
            data-autofocus
            {...form.getInputProps('name')}
            error={problems['name']}
          />
          <Radio.Group label={shared.mode} {...form.getInputProps('mode')} error={problems['livemode']}>
            <Stack gap="xs" mt={6}>
              <Radio value="test" label={text.testChoice} />
              <Radio value="live" label={text.liveChoice} />
            </Stack>
          </Radio.Group>
          <Checkbox
            label={text.restrictTheKey}
            description={text.restrictTheKeyDescription}
            checked={isRestricted}
            onChange={() => {
              toggle()
              hideMissing()
            }}
            error={isMissing && text.noRestrictionChosen}
            aria-invalid={isMissing}
          />
          {isRestricted && (
            <>
              <MultiSelect
                label={text.allowedEndpoints}
                description={text.allowedEndpointsDescription}
                data={CALLS}
                searchable
                {...form.getInputProps('endpoints')}
                error={problemOf('endpoints')}
              />
              <TextInput
                label={text.allowedTemplates}
                description={text.allowedTemplatesDescription}
                placeholder={text.allowedTemplatesPlaceholder}
                {...form.getInputProps('templates')}
                error={problemOf('templates_only')}
              />
              <Checkbox
                label={text.onlyCreateRequests}
                description={text.onlyCreateRequestsDescription}
                {...form.getInputProps('createOnly', { type: 'checkbox' })}
              />
              <TextInput
                label={text.allowedOrigins}
                description={text.allowedOriginsDescription}
                placeholder={text.allowedOriginsPlaceholder}
                {...form.getInputProps('origins')}
                error={problemOf('origins')}
              />
              <TextInput
                label={text.allowedClientAddresses}
                description={text.allowedClientAddressesDescription}
                placeholder={text.allowedClientAddressesPlaceholder}
                {...form.getInputProps('addresses')}
                error={problemOf('addresses')}
              />
              <TextInput
                label={text.dailySpendingLimit}
                description={text.dailySpendingLimitDescription}
                placeholder="2.00"
                inputMode="decimal"
                {...form.getInputProps('dailySpend')}
                error={problemOf('daily_spend')}
              />
              <TextInput
                label={text.expiresOn}
                type="date"
                {...form.getInputProps('expiresOn')}
                error={problemOf('expires_at')}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {text.createKey}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
