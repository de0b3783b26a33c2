import { AuditTable } from '../../../components/audit-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'

/** The page with the changes in all accounts. */
export function AuditPage() {
  return (
    <>
      <PageHeader title="Audit" about="Every change in every account, with its author." />
      <AuditTable />
    </>
  )
}
