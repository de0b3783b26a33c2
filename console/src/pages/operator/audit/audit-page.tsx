import { AuditTable } from '../../../components/audit-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'

/** Every change that anybody made. */
export function AuditPage() {
  return (
    <>
      <PageHeader title="Audit" about="Who changed what, of all accounts." />
      <AuditTable />
    </>
  )
}
