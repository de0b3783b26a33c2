import { AuditTable } from '../../../components/audit-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'

export function AuditPage() {
  return (
    <>
      <PageHeader title="Audit" about="Every change in every account, with its author." />
      <AuditTable />
    </>
  )
}
