/** A sentence by its beginning, and why the kit does not try it. */
export type Unseen = { section: string; begin: string; because: string }

const explains = (section: string, begin: string): Unseen => ({
  section,
  begin,
  because: 'it explains, or leads elsewhere',
})
const operators = (section: string, begin: string): Unseen => ({
  section,
  begin,
  because: 'it takes an operator, who changes keys, secrets or accounts',
})
const takes = (section: string, begin: string, what: string): Unseen => ({
  section,
  begin,
  because: `it takes ${what}`,
})

/** Sentences that the kit does not try. */
export const UNSEEN: readonly Unseen[] = [
  explains('2.4', 'The contract names the fields'),
  explains('2.8', 'All of them are in 4.5'),
  explains('2.9', 'A file of yours'),
  takes('3', 'If the machine working on a request dies', 'a machine that dies'),
  explains('4.1', 'Every processing endpoint takes these fields'),
  explains('4.1', '**`Idempotency-Key`**, an optional header'),
  {
    section: '4.2',
    begin: 'A character that no font here has',
    because: 'which characters are missing is not told from outside',
  },
  operators('4.3', 'Links go on working'),
  explains('4.5', 'More of what happens to pixels'),
  takes('4.6', 'A body whose pieces are smaller', 'minutes'),
  explains('4.7', 'Instead of polling'),
  explains('4.7', 'Then wait for a moment'),
  takes('4.9', 'A try ends', 'a file that is larger than what lies on the way'),
  explains('4.10', 'For files that have no URL'),
  explains('4.11', 'Watermark images without'),
  operators('5', 'The operator makes them'),
  explains('5', 'Whoever can open such a page'),
  explains('6', 'All of them can be listed'),
  explains('6', 'How to receive them'),
  {
    section: '6.2',
    begin: 'The event is written in the transaction',
    because: 'a transaction is seen by its crash alone',
  },
  explains('6.4', 'Compare in constant time'),
  operators('6.4', 'For 24 h after the secret'),
  takes('6.6', '15 minutes have passed', '15 minutes, or a service that stops'),
  takes('6.6', 'A client that reads nothing', 'more than what lies on the way'),
  explains('6.6', '`EventSource` cannot send a key'),
  takes('7.1', '`test_mode_daily_limit`', 'all requests of the day'),
  takes('8', 'result file', 'files of gigabytes'),
  takes('8', 'processing | 60 s', 'hours'),
  explains('9', 'Fields, codes and endpoints may be added'),
  explains('9', 'A breaking change means'),
]
