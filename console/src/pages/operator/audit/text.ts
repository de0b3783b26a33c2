export const text = {
  audit: 'Audit',
  auditAbout: 'Every change in every account, with its author.',
}
