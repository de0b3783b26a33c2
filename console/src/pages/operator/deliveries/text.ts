export const text = {
  queuedForDelivery: 'Queued the events for delivery again.',
  deliveriesAbout: 'Events whose delivery failed four times.',
  resendAll: 'Resend all',
  resendAllQuestion: 'Resend all of these events?',
  resendAllAbout: 'Each event gets four new attempts.',
  noFailedDeliveries: 'No failed deliveries',
  noFailedDeliveriesAbout: 'Every event with a webhook URL was delivered or is being retried.',
}
