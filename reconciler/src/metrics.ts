type Labels = Record<string, string>;
type Kind = 'counter' | 'gauge';

interface Metric {
  readonly kind: Kind;
  readonly help: string;
  readonly values: Map<string, number>;
}

/** Prefix of every metric's name. */
const PREFIX = 'config_reconciler';

/** Numbers in the text format of Prometheus. */
export class Metrics {
  private readonly metrics = new Map<string, Metric>();
  private readonly collectors = new Set<() => void>();

  /** Adds to a number that only grows. */
  public count(name: string, help: string, labels: Labels = {}, by = 1) {
    const { values } = this.metric('counter', name, help);
    const key = render(labels);
    values.set(key, (values.get(key) ?? 0) + by);
  }

  /** States a number. */
  public gauge(name: string, help: string, labels: Labels, value: number) {
    this.metric('gauge', name, help).values.set(render(labels), value);
  }

  /** Has numbers stated when they are asked for; the function returned ends that. */
  public collect(collector: () => void): () => void {
    this.collectors.add(collector);
    return () => this.collectors.delete(collector);
  }

  public render(): string {
    for (const { kind, values } of this.metrics.values()) {
      if (kind === 'gauge') values.clear();
    }
    for (const collector of this.collectors) collector();
    const lines = [...this.metrics].flatMap(([name, { kind, help, values }]) => values.size === 0 ? [] : [
      `# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
    ]);
    return `${lines.join('\n')}\n`;
  }

  private metric(kind: Kind, name: string, help: string): Metric {
    const full = `${PREFIX}_${name}`;
    const found = this.metrics.get(full) ?? { kind, help, values: new Map() };
    this.metrics.set(full, found);
    return found;
  }
}

function render(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
