import { boundUsage } from "@/lib/billing/bound-usage";
import { priceUsage } from "@/lib/billing/price";
import type { Settler } from "@/lib/billing/settle";
import { type BilledUsage, NO_USAGE, type RejectedUsage, type Reservation } from "@/lib/billing/types";
import { type MeterUsage, quantityOf } from "@/lib/meters";
import type { Permit } from "../../admission/limits";
import type { Quote } from "../../admission/quote";
import { EMPTY_REPORT } from "../../answers/answer";
import { createRequestId } from "../../base/request-id";
import type { Delivery, LostDelivery } from "../../http/delivery";
import { tokensOf } from "../../pipeline/measure";
import { buildSettlement, type Chargeable, describeAudio, describeMedia } from "../../pipeline/settle";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import { readOpenaiUsage } from "../../wire/dialects/common/openai/openai-usage";
import { ratesOf } from "./rates";
import type { SessionHold } from "./session-hold";
import { HEARD_PER_SECOND, type Tally } from "./tally";

/** How a charge of a session came about. */
export type PartOutcome = "answered" | "gone" | "cut" | "spent";

export type BooksSettings = {
  /** The session; each charge has an id of its own. */
  session: Chargeable;
  settler: Pick<Settler, "settle" | "note" | "forget">;
  permit: Permit;
  hold: SessionHold;
  tally: Tally;
  /** The price of a model that transcribes what the session hears; null = it has none. */
  quoteOf: (model: string, meters: readonly MeterUsage[]) => Quote | null;
  /** A charge was made, so that the tokens of the next response are to be counted. */
  onCharged: () => void;
  /** More was reported than can be true. `model`: the one that transcribes; undefined = the session's. */
  onBounded: (channelId: number, model: string | undefined, rejected: RejectedUsage) => void;
  used: Delivery["used"];
  request: UpstreamRequest;
};

type Charge = { model?: string; quote?: Quote; outcome?: PartOutcome; details?: Json };

const NOTHING = Buffer.alloc(0);
const UNENDED = { ...EMPTY_REPORT, isComplete: false };
const MINUTE: readonly MeterUsage[] = [{ meter: "second", quantity: 60 }];
/** Fast speech, in tokens of text. */
const SAID_PER_SECOND = 5;
const PROMPT_BYTES_PER_TOKEN = 2;
/** An upstream that says the same twice is charged for once. */
const IDS_MAX = 1_000;

/** The charges of a session: one for each response and each transcription, as the upstream reports them. */
export class SessionBooks {
  /** How many charges there were, what they came to, and their tokens. */
  readonly total = { charges: 0, quota: 0, tokens: 0 };
  /** When the first word or sound came, in ms from the start; null = none did. */
  firstTokenMs: number | null = null;
  /** The model that transcribes; "" = none that is known. */
  private transcribes = "";
  private readonly settings: BooksSettings;
  private readonly charged = new Set<string>();
  private readonly charging = new Set<Promise<void>>();
  /** The id of the next charge, once it is in the journal. */
  private notedId: string | null = null;
  private begunAt = performance.now();

  constructor(settings: BooksSettings) {
    this.settings = settings;
  }

  began(event: Json): void {
    const { tally } = this.settings;
    if (!tally.isRunning) this.begunAt = performance.now();
    tally.begin(readText(readObject(event.response).id));
  }

  /** A response ended. Charges what it used. */
  ended(event: Json): void {
    const { tally, session } = this.settings;
    const response = readObject(event.response);
    const id = readText(response.id);
    const estimated = tally.end(id);
    if (!this.isNew(id)) return;
    const reported = readUsage(response.usage);
    const most = tally.mostOf(estimated, session.quote.limits.output);
    const usage = reported ? boundUsage(reported, most) : estimated;
    if (reported && !usage.rejected && response.conversation_id !== null) tally.reported(reported);
    this.charge(usage, { details: { response: id, status: readText(response.status) } });
  }

  /** What was said to the session was transcribed. Charged at the price of the model that did it. */
  transcribed(event: Json): void {
    const { session, quoteOf, tally } = this.settings;
    tally.transcriptionEnded();
    const item = readText(event.item_id);
    const given = readSeconds(event.usage);
    const seconds = given === null ? null : tally.transcribed(given);
    const reported = readUsage(event.usage);
    if ((seconds === null && reported === null) || !this.isNew(`transcription ${item}`)) return;
    const most = tally.mostOf(NO_USAGE, session.quote.limits.output);
    const quantity = Math.min(seconds ?? 0, most.promptTokens / HEARD_PER_SECOND);
    const meters: readonly MeterUsage[] = seconds === null ? [] : [{ meter: "second", quantity }];
    const quote = quoteOf(this.transcribes, meters);
    const all: BilledUsage = { ...NO_USAGE, ...reported, ...(seconds === null ? {} : { meters }) };
    const usage = boundUsage(all, most);
    this.charge(usage, {
      ...(quote ? { model: this.transcribes, quote } : {}),
      details: { item, transcription: true },
    });
  }

  /** The session's settings name this model. */
  transcribesWith(model: string): void {
    this.transcribes = model;
    this.expectTranscription(model, 0);
  }

  /** Reserves for a model that may transcribe, and reads so many bytes of text each time. False = it has no price. */
  expectTranscription(model: string, promptBytes: number): boolean {
    const { quoteOf, tally } = this.settings;
    const [metered, plain] = [quoteOf(model, MINUTE), quoteOf(model, [])];
    if (metered) tally.transcribesAt(priceUsage({ ...NO_USAGE, meters: MINUTE }, metered.price).quota / 60, 0);
    if (plain) {
      const { text, sound, writtenText } = ratesOf(plain.price);
      tally.transcribesAt(
        HEARD_PER_SECOND * sound + SAID_PER_SECOND * writtenText,
        (promptBytes / PROMPT_BYTES_PER_TOKEN) * text,
      );
    }
    return metered !== null || plain !== null;
  }

  /** So that kill -9 charges what was delivered, except for the last second. */
  note(): void {
    const { settler, tally } = this.settings;
    const usage = tally.soFar();
    if (usage.completionTokens === 0) return;
    this.notedId ??= createRequestId();
    settler.note(this.settlementOf(usage, this.notedId, this.delivery("lost"), null, {}));
  }

  /**
   * Charges what was delivered of responses that did not end. `isCaused`: the caller has broken off what ran, so that what
   * was not delivered is charged too: the input of responses, and transcriptions. Resolves when no charge can be lost any more.
   */
  async close(outcome: PartOutcome, isCaused: boolean): Promise<void> {
    const { tally } = this.settings;
    const untranscribed = isCaused ? tally.untranscribed() : 0;
    if (untranscribed > 0) this.chargeUntranscribed(untranscribed);
    this.charge(tally.endAll(isCaused), { outcome, details: { status: "incomplete" } }, true);
    while (this.charging.size > 0) await Promise.all(this.charging);
  }

  /** How the session as a whole ended, for a row that costs nothing. */
  delivery(outcome: PartOutcome | "lost"): Delivery | LostDelivery {
    const { used, request: upstream } = this.settings;
    const { firstTokenMs } = this;
    const base = { used, attempts: null, upstream, report: EMPTY_REPORT };
    const whole = { ...base, ending: NOTHING, contentType: "", firstTokenMs };
    if (outcome === "answered") return { ...whole, outcome };
    if (outcome === "spent") return { ...whole, outcome, report: UNENDED };
    if (outcome === "gone") {
      return { ...base, outcome, wasSent: true, isOurWait: false, unseenMs: 0, drained: null, firstTokenMs };
    }
    if (outcome === "cut") return { ...base, outcome, firstTokenMs: firstTokenMs ?? 0, isForbidden: false };
    return { ...base, outcome, firstTokenMs: firstTokenMs ?? 0 };
  }

  private chargeUntranscribed(tokens: number): void {
    const { transcribes: model } = this;
    const { quoteOf } = this.settings;
    const meters: readonly MeterUsage[] = [{ meter: "second", quantity: Math.ceil(tokens / HEARD_PER_SECOND) }];
    const [metered, plain] = [quoteOf(model, meters), quoteOf(model, [])];
    const quote = metered?.price.meterPrices ? metered : (plain ?? metered);
    if (!quote) return;
    const used = quote === metered ? { meters } : { promptTokens: tokens, audioPromptTokens: tokens };
    const charge = { model, quote, outcome: "gone", details: { transcription: true, status: "incomplete" } } as const;
    this.charge({ ...NO_USAGE, ...used, estimated: true }, charge, true);
  }

  private isNew(id: string): boolean {
    if (id === "") return true;
    if (this.charged.has(id)) return false;
    if (this.charged.size >= IDS_MAX) this.charged.clear();
    this.charged.add(id);
    return true;
  }

  private charge(usage: BilledUsage, { outcome = "answered", ...charge }: Charge, isLast = false): void {
    const { settler, permit, hold, tally } = this.settings;
    const used = tokensOf(usage);
    if (used === 0 && !usage.meters?.some((meter) => quantityOf(meter) > 0)) {
      if (isLast || !tally.isRunning) this.drop();
      return;
    }
    const { price } = charge.quote ?? this.settings.session.quote;
    const reservation = hold.takeFor(priceUsage(usage, price).quota, tally.needed());
    const spend = permit.budget?.part(hold.kept);
    const id = this.notedId ?? createRequestId();
    this.notedId = null;
    const settlement = this.settlementOf(usage, id, this.delivery(outcome), reservation, charge);
    if (usage.rejected) this.settings.onBounded(settlement.channelId, charge.model, usage.rejected);
    this.total.charges += 1;
    this.total.quota += settlement.quota;
    this.total.tokens += used;
    this.begunAt = performance.now();
    const charged = settler
      .settle(settlement, 0, spend && (() => spend(settlement.quota)))
      .then(() => void this.charging.delete(charged));
    this.charging.add(charged);
    permit.usedTokens(used);
    if (isLast) return;
    hold.renew(tally.needed());
    this.settings.onCharged();
  }

  /** Nothing is left to charge. */
  private drop(): void {
    if (this.notedId !== null) this.settings.settler.forget(this.notedId);
    this.notedId = null;
  }

  private settlementOf(
    usage: BilledUsage,
    id: string,
    delivery: Delivery | LostDelivery,
    reservation: Reservation | null,
    { model, quote, details }: Charge,
  ) {
    const { session } = this.settings;
    const { begunAt } = this;
    const elapsedMs = (): number => Math.round(performance.now() - begunAt);
    const { clientIp, id: sessionId } = session.exchange;
    const exchange = { id, clientIp, elapsedMs };
    const { intake, quote: own } = session;
    const charged = { ...session, exchange, reservation, intake: model ? intake.withModel(model) : intake };
    const upstream = model && delivery.upstream ? { ...delivery.upstream, model } : delivery.upstream;
    const ended = { delivery: { ...delivery, upstream }, usage };
    const settlement = buildSettlement(
      { ...charged, quote: quote ?? own, ...(model ? { requestedModel: model } : {}) },
      ended,
    );
    const { price } = quote ?? own;
    Object.assign(settlement.other, describeAudio(usage, price), describeMedia(usage, price));
    settlement.other.ws = true;
    settlement.other.realtime = { session: sessionId, ...details };
    return settlement;
  }
}

/** What an event reports as used; null = nothing that can be true: whatever is read or heard has tokens. */
export function readUsage(raw: unknown): BilledUsage | null {
  const usage = readOpenaiUsage(raw);
  if (!usage || usage.promptTokens === 0) return null;
  const { reasoningTokens: _, webSearches: __, ...counts } = usage;
  return { ...counts, estimated: false };
}

/** Seconds of sound, where a transcription is charged by them; null = it is not. */
function readSeconds(raw: unknown): number | null {
  const { type, seconds } = readObject(raw);
  return type === "duration" && typeof seconds === "number" && seconds > 0 && seconds < 1e6 ? seconds : null;
}
