import { Button, Menu, Text } from '@mantine/core'
import { MAX_OPERATIONS } from '@mediamill/contract/domain/limits'
import { IconPlus } from '@tabler/icons-react'
import type { CatalogOperation } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'
import { text } from '../text.ts'

type Props = { operations: Record<string, CatalogOperation>; count: number; onAdd: (type: string) => void }

/** A button that opens the list of operations. */
export function AddOperation({ operations, count, onAdd }: Props) {
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button
          variant="default"
          fullWidth
          leftSection={<IconPlus size={16} aria-hidden="true" />}
          disabled={count >= MAX_OPERATIONS}
        >
          {count >= MAX_OPERATIONS ? text.operationLimitReached(MAX_OPERATIONS) : text.addAnOperation}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {Object.entries(operations).map(([type, { description }]) => (
          <Menu.Item key={type} onClick={() => onAdd(type)}>
            <Text size="sm" fw={600}>
              {formatName(type)}
            </Text>
            <Text size="xs" c="dimmed">
              {description}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
