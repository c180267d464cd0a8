import type { Attempt, Settled } from "@/lib/relay";
import type { ClientDialect } from "@/lib/relay/wire";
import { codeOf, dialects, type WireError } from "@/lib/relay/wire";
import type { Snapshot } from "@/lib/snapshot/store";
import { Answers } from "./answers";
import { counter, type Family, type Sample } from "./family";
import { Histogram, histogram } from "./histogram";
import { emptyFamilies } from "./route-families";
import { RouteTotals } from "./route-totals";

/** Counts by code and status. Beyond `max` codes the rest is counted as "other". */
export class LabelSet {
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  count(code: string, status: number): void {
    let statuses = this.counts.get(code);
    if (!statuses) {
      const name = this.counts.size < this.max ? code : "other";
      statuses = this.counts.get(name) ?? new Map<number, number>();
      this.counts.set(name, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  samples(): Sample[] {
    return [...this.counts].flatMap(([code, statuses]) =>
      [...statuses].map(([status, value]) => ({ labels: { code, status }, value })),
    );
  }
}

/** A request that is over, as far as it is counted here; lib/relay has it as an Exchange. */
export type EndedRequest = {
  readonly startedAt: number;
  readonly model: string;
  readonly isGone: boolean;
  readonly overheadMs: number | null;
  readonly failure: { status: number; error: WireError } | null;
  readonly settled: Settled | null;
  readonly response: { readonly statusCode: number; readonly headersSent: boolean };
};

export type EndedEndpoint = { kind: string; clientDialect: ClientDialect; operation?: { id: string } };

type Needs = { current: () => Snapshot };

/** Milliseconds of Weir's own. */
const OVERHEAD_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const MODELS_MAX = 1_000;
const CODES_MAX = 200;
const OTHER = "other";
/** Answered to a client that left before there was anything; nginx writes it so too. */
const CLIENT_LEFT = 499;

const dialectIds = new Map<ClientDialect, string>([...dialects.values()].map(({ client, id }) => [client, id]));

/**
 * What the requests of this process came to, since its start. A request costs a few look-ups and additions; labels are
 * made when somebody reads. Models are counted by name only where a channel has them, so that callers cannot fill memory.
 */
export class RequestTotals {
  private readonly snapshot: Needs;
  /** Model → channel. */
  private readonly routes = new Map<string, Map<number, RouteTotals>>();
  private readonly overhead = new Histogram(OVERHEAD_SECONDS);
  private readonly refusals = new LabelSet(CODES_MAX);
  private readonly failures = new Map<number, Map<string, number>>();

  constructor(snapshot: Needs) {
    this.snapshot = snapshot;
  }

  readonly ended = (request: EndedRequest, endpoint: EndedEndpoint): void => {
    const { settled, failure, response, overheadMs } = request;
    const settlement = settled?.settlement;
    const route = this.routeOf(settlement?.modelName ?? request.model, settlement?.channelId ?? 0);
    const status = failure?.status ?? statusOf(response, settlement !== undefined);
    const dialect = dialectIds.get(endpoint.clientDialect) ?? OTHER;
    const outcome = outcomeOf(request);
    route.answers.count(dialect, endpoint.operation?.id ?? endpoint.kind, status, outcome);
    if (overheadMs !== null) this.overhead.observe(overheadMs / 1_000);
    if (settlement) {
      route.add(settlement, performance.now() - request.startedAt, this.snapshot.current().options);
      const attempts = settled.delivery.attempts;
      if (attempts) for (const attempt of attempts) this.countFailure(attempt);
    } else if (failure) this.refusals.count(codeOf(failure.error) || OTHER, failure.status);
  };

  read(): Family[] {
    const { channels } = this.snapshot.current();
    const families = emptyFamilies();
    for (const [model, byChannel] of this.routes) {
      for (const [channel, totals] of byChannel) {
        const labels = { model, channel, channel_name: channels.get(channel)?.name ?? "" };
        totals.read(labels, families);
      }
    }
    const refused: Sample[] = this.refusals.samples();
    const failed: Sample[] = [...this.failures].flatMap(([channel, causes]) =>
      [...causes].map(([cause, value]) => ({
        labels: { channel, channel_name: channels.get(channel)?.name ?? "", cause },
        value,
      })),
    );
    return [
      ...Object.values(families),
      histogram(
        "weir_overhead_seconds",
        "Weir's own time until the head of an answer",
        this.overhead.count > 0 ? this.overhead.samples("weir_overhead_seconds") : [],
      ),
      counter("weir_refusals_total", "Requests that were refused before a channel was asked", refused),
      counter("weir_failed_attempts_total", "Attempts at a channel that failed", failed),
    ];
  }

  private routeOf(name: string, channelId: number): RouteTotals {
    const known = this.routes.get(name)?.get(channelId);
    if (known) return known;
    const model = name === "" || this.isKnown(name) ? name : OTHER;
    let channels = this.routes.get(model);
    if (!channels) {
      channels = new Map();
      this.routes.set(model, channels);
    }
    let route = channels.get(channelId);
    if (!route) {
      route = new RouteTotals(new Answers());
      channels.set(channelId, route);
    }
    return route;
  }

  private isKnown(model: string): boolean {
    if (this.routes.has(model)) return true;
    if (this.routes.size >= MODELS_MAX) return false;
    for (const models of this.snapshot.current().abilities.values()) if (models.has(model)) return true;
    return false;
  }

  private countFailure({ channel, outcome, cause }: Attempt): void {
    if (outcome === "ok" || outcome === "gone" || outcome === "hedged") return;
    let causes = this.failures.get(channel);
    if (!causes) {
      causes = new Map();
      this.failures.set(channel, causes);
    }
    const name = cause ?? outcome;
    causes.set(name, (causes.get(name) ?? 0) + 1);
  }
}

/** A session over a WebSocket has a charge and no head. */
function statusOf({ headersSent, statusCode }: EndedRequest["response"], isSettled: boolean): number {
  if (headersSent) return statusCode;
  return isSettled ? 200 : CLIENT_LEFT;
}

function outcomeOf({ settled, failure, isGone }: EndedRequest): string {
  if (settled) {
    const { outcome } = settled.settlement.other;
    return typeof outcome === "string" ? outcome : "answered";
  }
  if (failure) return "refused";
  return isGone ? "gone" : "answered";
}
