/** Where metrics are. */
export interface MetricsPlace {
  readonly port: number;
  readonly path: string;
  readonly scheme: string;
}

/** The annotations by which Prometheus finds pods, as its examples have it. */
export function scrapeAnnotations({ port, path, scheme }: MetricsPlace): Record<string, string> {
  return { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port), 'prometheus.io/path': path, 'prometheus.io/scheme': scheme };
}
