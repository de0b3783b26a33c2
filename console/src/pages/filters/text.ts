export const text = {
  filtersAndOperations: 'Filters and operations',
  filtersAndOperationsAbout:
    'Each image is a free test-mode request with a real result. A new account’s test key can send 100 requests a day.',
  runAll: (count: number) => `Run all ${count}`,
  showFiltersOrOperations: 'Show filters or operations',
  yourImage: 'Your image',
  withoutAFilter: 'Without a filter',
  resultOnYourImage: (title: string) => `${title} on your image`,
  pressRun: 'Press Run',
  processing: (title: string) => `Processing ${title}`,
  example: 'Example',
  runOne: (title: string) => `Run ${title}`,
  run: 'Run',
  openInPlayground: (title: string) => `Open ${title} in the playground`,
  open: 'Open',
  theRequestWasAborted: 'The request was aborted.',
}
