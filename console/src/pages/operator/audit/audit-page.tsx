import { AuditTable } from '../../../components/audit-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { text } from './text.ts'

export function AuditPage() {
  return (
    <>
      <PageHeader title={text.audit} about={text.auditAbout} />
      <AuditTable />
    </>
  )
}
