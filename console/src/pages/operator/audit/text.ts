/** The text of the page “Audit”. */
export const text = {
  audit: 'Audit',
  auditAbout: 'Every change in every account, with its author.',
}
