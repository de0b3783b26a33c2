import type { Registry } from 'prom-client'
import { Counter, Gauge, Histogram } from 'prom-client'

type Collect<Metric> = (metric: Metric) => Promise<void> | void

/** Creates metrics in a registry. `name` is without the prefix `mediamill_`. `collect` sets a metric at each scrape. */
export function metricsOf(registry: Registry) {
  const options = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({
    name: `mediamill_${name}`,
    help,
    labelNames,
    registers: [registry],
  })
  const counter = <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
    collect?: Collect<Counter<Label>>,
  ) => {
    const made: Counter<Label> = new Counter({
      ...options(name, help, labels),
      ...(collect && { collect: () => collect(made) }),
    })
    return made
  }
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
    collect?: Collect<Gauge<Label>>,
  ) => {
    const made: Gauge<Label> = new Gauge({
      ...options(name, help, labels),
      ...(collect && { collect: () => collect(made) }),
    })
    return made
  }
  const histogram = <Label extends string>(name: string, help: string, labels: readonly Label[], buckets: number[]) =>
    new Histogram({ ...options(name, help, labels), buckets })
  return { counter, gauge, histogram }
}
