import type { BilledUsage } from "@/lib/billing/types";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Report } from "../answers/answer";
import type { RequestFault } from "../base/request-faults";
import { SimilarPieces } from "../base/similar-pieces";
import type { Attempt } from "../http/attempts";
import type { CutDelivery, Delivery } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import type { Continuation, Intake } from "../operations/operation";
import type { Route } from "../routing/route";

/** A stream of which more would have to be kept is not continued. */
const KEPT_BYTES_MAX = 262_144;

/** What is to be known of a channel that could not go on. `hasOtherKeys`: it may be asked with another key. */
export type Left = { hasOtherKeys: boolean; fault: RequestFault | null };

/** The result of one attempt to go on. `delivery`: null = nothing was added. */
export type Asked = Left & { delivery: Delivery | null; attempts: Attempt[] };

/** How dispatch lets a stream be continued. */
export type Continuing = {
  exchange: Exchange;
  intake: Pick<Intake, "continuation" | "measure">;
  /** The models that will have written the answer, where there are several. */
  writers?: readonly string[] | undefined;
  /** The next channel to ask, after `attempts` attempts; null = there is none, or no time. */
  next(attempts: number): Promise<SnapshotChannel | null>;
  /** Asks a channel for the rest. `before`: the attempts so far. */
  ask(rest: Continuation, channel: SnapshotChannel, attempt: number, before: Attempt[]): Promise<Asked>;
  /** A channel could not go on, or not to the end. */
  leave(channel: SnapshotChannel, left: Left): void;
};

type Options = Pick<OptionValues, "StreamContinuation" | "RetryTimes">;

/** Whether another channel could go on with the stream when it breaks off. `hasWriters`: one of another model. */
export function isContinuable(options: Options, intake: Intake, { tiers }: Route, hasWriters: boolean): boolean {
  const hasSeveral = hasWriters || tiers.length > 1 || (tiers[0]?.length ?? 0) > 1;
  return hasSeveral && options.StreamContinuation && options.RetryTimes > 0 && intake.isContinuable === true;
}

export function keepDelivered(exchange: Exchange): void {
  exchange.recording ??= new SimilarPieces(KEPT_BYTES_MAX);
}

/**
 * A stream broke off after something of it had reached the client: other channels are asked to go on. Returns the delivery of the
 * whole, or that of the last cut where none of them could. `attempt`: the number of the one that was cut.
 */
export async function runContinuation(cut: CutDelivery, attempt: number, continuing: Continuing): Promise<Delivery> {
  const run = new ContinuedRun(cut, attempt, continuing);
  const delivery = await run.finish().catch((error: unknown) => {
    // What was delivered is charged, whatever keeps others from going on with it.
    logger.error({ err: error, request: continuing.exchange.id }, "a stream could not be continued");
    return run.lastCut();
  });
  await Promise.all(run.measured);
  return delivery;
}

class ContinuedRun {
  /** Costs that are being counted. */
  readonly measured: Promise<void>[] = [];
  private cut: CutDelivery;
  private attempts: Attempt[];
  private count: number;
  private readonly continuing: Continuing;

  constructor(cut: CutDelivery, attempt: number, continuing: Continuing) {
    this.cut = cut;
    this.attempts = cut.attempts ?? [];
    this.count = attempt;
    this.continuing = continuing;
    const last = this.attempts.at(-1);
    if (last?.outcome === "cut") this.noteUsed(last, cut.report);
  }

  async finish(): Promise<Delivery> {
    for (let rest = this.restOf(); rest; rest = this.restOf()) {
      const delivery = await this.goOn(rest);
      if (!delivery) break;
      if (delivery.outcome !== "cut") return delivery;
      this.cut = delivery;
    }
    return this.lastCut();
  }

  lastCut(): CutDelivery {
    return { ...this.cut, attempts: this.attempts };
  }

  /** Null = nobody can go on with what the client has. */
  private restOf(): Continuation | null {
    const { exchange, intake, writers } = this.continuing;
    if (this.cut.isForbidden || this.attempts.at(-1)?.cause === "timeout_whole") return null;
    const delivered = exchange.recording?.body();
    return (delivered && intake.continuation?.(delivered, writers)) ?? null;
  }

  /** Asks channels until one of them has gone on. Null = none has. */
  private async goOn(rest: Continuation): Promise<Delivery | null> {
    const { continuing } = this;
    for (;;) {
      const channel = await continuing.next(this.count);
      if (!channel) return null;
      this.count += 1;
      let asked = await this.ask(rest, channel);
      if (this.refusesPrefill(asked, rest, channel)) asked = await this.ask(rest, channel);
      const { delivery } = asked;
      if (!delivery || delivery.outcome === "cut") continuing.leave(channel, asked);
      if (delivery) return this.joined(delivery, rest);
      // Content that is not allowed is not taken elsewhere. Where one answer differs, others most likely do, and cost a prompt each.
      if (asked.fault === "policy" || asked.attempts.at(-1)?.cause === "differs") return null;
    }
  }

  private async ask(rest: Continuation, channel: SnapshotChannel): Promise<Asked> {
    const asked = await this.continuing.ask(rest, channel, this.count, this.attempts);
    this.attempts = asked.attempts;
    const last = asked.attempts.at(-1);
    if (last) last.continues = rest.way;
    const isLost = !asked.delivery || asked.delivery.outcome === "cut";
    // A channel that is not set up was not asked.
    if (isLost && last?.cause !== "setup") this.noteUsed(last, rest.ownReport());
    return asked;
  }

  /** A channel that does not take the beginning of an answer has not failed: it is asked for everything. */
  private refusesPrefill({ delivery, attempts, fault }: Asked, rest: Continuation, { id }: SnapshotChannel): boolean {
    const last = attempts.at(-1);
    const isRefused = delivery === null && last?.outcome === "request" && last.status !== undefined;
    return isRefused && fault !== "policy" && rest.refusedPrefill(id);
  }

  /** What an upstream delivered costs us, whether or not it could be passed on. */
  private noteUsed(attempt: Attempt | undefined, report: Report | null): void {
    if (!attempt || attempt.used || !report || report.textBytes() === 0) return;
    this.measured.push(
      this.usageOf(report).then((used) => {
        attempt.used = used;
      }),
    );
  }

  private async usageOf(report: Report): Promise<BilledUsage> {
    return this.continuing.intake.measure(report, null);
  }

  /** What was delivered before counts, also where the client left before anything was added to it. */
  private async joined(delivery: Delivery, rest: Continuation): Promise<Delivery> {
    if (delivery.outcome === "failed") return delivery;
    const { firstTokenMs } = this.cut;
    const own = rest.way === "prefill" ? rest.ownReport() : null;
    const ofLast = own?.usage ? { own: await this.usageOf(own) } : {};
    if (delivery.outcome !== "gone") return { ...delivery, ...ofLast, firstTokenMs, isContinued: true };
    const report = delivery.report ?? this.cut.report;
    return { ...delivery, ...ofLast, firstTokenMs, report, wasSent: true, isOurWait: false };
  }
}
