import { Histogram, type MetricType, type Registry } from 'prom-client'
import type { RequestLine } from './request-report.ts'

type Label = 'rute' | 'status' | 'hentet'
type Series = { labels: Record<Label, string>; counts: number[]; count: number; sum: number }

/**
 * The histogram of answered requests, counted in plain numbers and written out when somebody reads it: the library's own
 * `observe` looks its labels up and checks them for every request, which is more than all else that is done to see it.
 */
export class RequestTimes extends Histogram<Label> {
  readonly #about: { name: string; help: string }
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()
  #latest: { rute: string | null; status: number; hentet: string | null; series: Series } | null = null

  /** @param bounds of its buckets, in seconds */
  constructor(about: { name: string; help: string; bounds: readonly number[]; registers: Registry[] }) {
    const { name, help, bounds, registers } = about
    super({ name, help, labelNames: ['rute', 'status', 'hentet'], buckets: [...bounds], registers })
    this.#about = { name, help }
    this.#bounds = bounds
  }

  add({
    rute,
    status,
    hentet,
    ms,
  }: Pick<RequestLine, 'rute' | 'status' | 'ms'> & { hentet: string | null }): void {
    const series = this.#seriesOf(rute, status, hentet)
    const seconds = ms / 1000
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.count += 1
    series.sum += seconds
  }

  /** More often than not that of the request before. */
  #seriesOf(rute: string | null, status: number, hentet: string | null): Series {
    const latest = this.#latest
    if (latest !== null && latest.rute === rute && latest.status === status && latest.hentet === hentet)
      return latest.series
    const name = `${rute} ${status} ${hentet}`
    const known = this.#series.get(name)
    const labels = { rute: rute ?? 'ingen', status: String(status), hentet: hentet ?? '' }
    const series = known ?? { labels, counts: this.#bounds.map(() => 0), count: 0, sum: 0 }
    if (known === undefined) this.#series.set(name, series)
    this.#latest = { rute, status, hentet, series }
    return series
  }

  override async get(): ReturnType<Histogram<Label>['get']> {
    return {
      ...this.#about,
      // An enumeration in its types alone.
      type: 'histogram' as unknown as MetricType,
      aggregator: 'sum',
      collect: () => {},
      values: [...this.#series.values()].flatMap((each) => this.#values(each)),
    }
  }

  /** What the library asks for when it writes text, in place of `get`. */
  getForPromString(): ReturnType<Histogram<Label>['get']> {
    return this.get()
  }

  #values({ labels, counts, count, sum }: Series) {
    const { name } = this.#about
    let below = 0
    const buckets = this.#bounds.map((le, index) => {
      below += counts[index] ?? 0
      return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ]
  }
}
