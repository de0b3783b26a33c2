/** The text of the page “Billing”. */
export const text = {
  billing: 'Billing',
  billingAbout: 'Charges and purchases by day, and the ledger entries behind them.',
  charged: 'Charged',
  chargedAbout: 'in 30 days',
  bought: 'Bought',
  succeeded: 'Succeeded',
  succeededAbout: 'requests in 30 days',
  failed: 'Failed',
  chargedByDay: 'Charged by day',
  chargedByDayAbout: 'The last 30 days, UTC',
  ledgerVerification: 'Ledger verification',
  ledgerVerificationAbout: 'Recalculates every balance, hold, and charge from the ledger and lists any difference.',
  verifyTheLedger: 'Verify the ledger',
  noDifferences: 'No differences',
  differencesFound: 'Differences found',
  noDifferencesAbout: 'Every balance is the sum of its ledger entries, and every price was charged once.',
  mischarged: (request: number, price: string, charged: string) =>
    `Request ${request}: the price is ${price}, but the charge is ${charged}`,
  overdrawn: (value: string) => `Overdrawn: ${value}`,
  overdrawnAccount: (account: number, balance: string) => `account ${account} (${balance})`,
}
