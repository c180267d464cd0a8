import type { UsageBound } from "@/lib/billing/bound-usage";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Json } from "../../wire/canonical/json";
import { type AskedResponse, AskedResponses } from "./asked-responses";
import type { Rates } from "./rates";
import {
  BYTES_PER_TOKEN,
  costOf,
  costOfReadingWritten,
  type Input,
  nothing,
  type Piece,
  type Running,
  type Said,
  startOf,
  usageOf,
} from "./running-response";
import { SettingsInForce } from "./settings-in-force";

/** OpenAI's models hear a token in 100 ms, and speak one in 50 ms. */
export const HEARD_PER_SECOND = 10;
const SPOKEN_PER_SECOND = 20;
/** Of what is reserved for text, as of the prompts of requests. */
const DENSE_BYTES_PER_TOKEN = 2;
const BASE64 = 3 / 4;
/** Sound that waits for a turn to end counts up to so many tokens: most of what a microphone sends is silence. */
const WAITING_TOKENS_MAX = 300;
/** Heard before somebody is found to speak. */
const LEAD_TOKENS = 10;
/** Makers count a part of a second as a whole one. */
const ROUNDED_SECONDS = 1;
/** Responses that run at a time; upstreams allow one in a conversation. */
const RUNNING_MAX = 64;
/** Tokens that a response may write whose balance does not pay for more; makers take no more than the first as a limit. */
const SHORTER = [4_096, 1_024];
/** What events and responses hold besides their text. */
const OVERHEAD_TOKENS = 8_192;
const WRITTEN_OVERHEAD = 256;
/** What the upstream puts into a conversation itself: stored prompts, the answers of its own tools. */
const UNSEEN_TOKENS = 200_000;

/** A picture costs less at all makers. */
const PICTURE_TOKENS = 2_000;

/** What is known of the session's model. `thinks`: it writes what no event shows. */
export type TallyModel = { window: number; outputMax: number; thinks: boolean };

const UNKNOWN_MODEL: TallyModel = { window: Number.POSITIVE_INFINITY, outputMax: 0, thinks: false };

/**
 * What a session has sent and got since its last charge, by lengths. The reservation follows it; it is charged only where
 * the upstream reports nothing.
 */
export class Tally {
  readonly asked = new AskedResponses();
  /** Tokens that the answer to the turn that runs may write; null = none is expected yet. */
  private turnMax: number | null = null;
  readonly settings: SettingsInForce;
  /** The upstream may add to the conversation what nobody sent. */
  hasUnseen = false;
  private readonly rates: Rates;
  private readonly model: TallyModel;
  /** Of text, pictures or sound, quota for a token that is read. */
  private readonly dearest: number;
  /** What the next response will read of what the last one read and wrote. */
  private context = nothing();
  /** What the caller has added since the last response began. */
  private fresh = nothing();
  /** Some responses read what the caller has put together for them, so that they tell nothing of the conversation. */
  private hasOwnInput = false;
  /** Sound that was not transcribed yet. */
  private secondsHeard = 0;
  /** Tokens of the sound that is in no turn yet, and whether all of them are in the one that follows. */
  private waiting = 0;
  private isTurn = false;
  /** The caller's event that ends the turn is not sent yet; and how many were, of which the upstream has said nothing. */
  private isCommitting = false;
  private announced = 0;
  /** All the sound that was appended. */
  private secondsAppended = 0;
  /** Tokens of each turn that is being transcribed, and the quota for one; 0 = nothing is transcribed. */
  private readonly transcribing: number[] = [];
  private transcriptionRate = 0;
  /** Quota for what a transcription reads besides the sound. */
  private transcriptionPrompt = 0;
  private readonly running = new Map<string, Running>();
  private last: Running | null = null;
  /** Quota that the running responses have cost so far. */
  private runningCost = 0;
  /** Of the whole session: no input has more tokens. */
  private tokensMax = OVERHEAD_TOKENS;

  constructor(rates: Rates, model = UNKNOWN_MODEL) {
    this.rates = rates;
    this.model = model;
    this.settings = new SettingsInForce(model);
    this.dearest = Math.max(rates.text, rates.sound, rates.picture);
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Quota that has to be reserved for what runs, else for the input of the next response. */
  needed(): number {
    const waiting = this.isTurn ? this.waiting : Math.min(this.waiting, WAITING_TOKENS_MAX);
    const rest = waiting * this.rates.sound + this.transcriptionCost(waiting);
    const asked = this.costOfAsked();
    if (this.running.size > 0) return this.runningCost + rest + (asked || this.reservedFor(this.fresh));
    return rest + (asked || this.costOfReading());
  }

  /** Of all that will begin, each of which reads what those before it write. */
  private costOfAsked(): number {
    const { turnMax: outputMax, rates } = this;
    let [cost, before] = [0, costOfReadingWritten(this.running.values(), rates)];
    for (const one of outputMax === null ? this.asked.all() : [...this.asked.all(), { outputMax }]) {
      cost += this.costOfNext(one, before);
      before += this.thoughtMax(one.outputMax) * rates.text;
    }
    return cost;
  }

  private thoughtMax(outputMax: number | null = null): number {
    const { settings, model } = this;
    return settings.thinks ? Math.min(outputMax ?? settings.outputMax, model.outputMax) : 0;
  }

  /** What a response that begins costs beyond what is needed already: the upstream may begin some by itself. */
  costOfBegin(): number {
    if (this.asked.size > 0) return 0;
    return this.running.size > 0
      ? this.costOfNext({}, costOfReadingWritten(this.running.values(), this.rates))
      : this.costOfNext() - this.costOfReading();
  }

  /** The least that a response costs: nothing more is reserved before one is asked for, so that limits can be set first. */
  private costOfReading(times = 1, before = 0): number {
    const read = times * (this.reservedFor(this.context) + this.reservedFor(this.fresh) + before);
    return Math.min(read, this.model.window * this.dearest) + this.rates.call;
  }

  /** The most that a response costs by what it reads, and by what it writes unseen. */
  private costOfNext({ references, outputMax }: Partial<AskedResponse> = {}, before = 0): number {
    const { context, fresh, rates, model } = this;
    const tokens = [context, fresh].reduce((sum, { text, sound, cached }) => sum + text + sound + cached, 0);
    const unseen = Math.min(this.unseenTokens(), Math.max(0, model.window - tokens)) * rates.text;
    return (
      this.costOfReading(Math.max(1, references ?? 0), before) + unseen + this.thoughtMax(outputMax) * rates.writtenText
    );
  }

  /**
   * The balance does not pay for all that the next response may think: it may write less then. Returns the limit, and
   * whether the session's settings have to say so; null = there is nothing to limit.
   */
  shorten(): { limit: number; isOfSession: boolean } | null {
    const { settings, model, turnMax } = this;
    if (!settings.thinks) return null;
    const unsent = this.asked.unsent();
    if (!unsent && turnMax === null) return null;
    const most = Math.min((unsent ? unsent.outputMax : turnMax) ?? settings.outputMax, model.outputMax);
    const limit = SHORTER.find((shorter) => shorter < most);
    if (limit === undefined) return null;
    if (unsent) unsent.outputMax = limit;
    else this.turnMax = limit;
    return { limit, isOfSession: !unsent };
  }

  private unseenTokens(): number {
    return this.hasUnseen ? Math.min(UNSEEN_TOKENS, this.model.window) : 0;
  }

  private reservedFor(input: Input): number {
    return costOf(input, this.rates) + input.spare;
  }

  /** A response is asked for by this event. */
  asksFor(event: Json, hasInput: boolean): void {
    this.asked.add(event);
    const [last] = this.asked.all().slice(-1);
    if (last) this.tokensMax += Math.min(this.model.window, last.references * this.tokensMax);
    if (hasInput) this.hasOwnInput = true;
  }

  /** Of the sound that will be transcribed, and of what is rounded up. */
  private transcriptionCost(waiting: number): number {
    const { transcribing, transcriptionRate } = this;
    if (transcriptionRate === 0 || (waiting === 0 && transcribing.length === 0)) return 0;
    const tokens = transcribing.reduce((sum, of) => sum + of + HEARD_PER_SECOND, waiting + HEARD_PER_SECOND);
    return tokens * transcriptionRate + (transcribing.length + (waiting > 0 ? 1 : 0)) * this.transcriptionPrompt;
  }

  /** The dearest model that was named transcribes. `perSecond`: quota; `prompt`: quota for the text that it reads each time. */
  transcribesAt(perSecond: number, prompt: number): void {
    this.transcriptionRate = Math.max(this.transcriptionRate, perSecond / HEARD_PER_SECOND);
    this.transcriptionPrompt = Math.max(this.transcriptionPrompt, prompt);
  }

  /** Tokens of the turns whose transcriptions did not come. */
  untranscribed(): number {
    return Math.ceil(this.transcribing.splice(0).reduce((sum, of) => sum + of, 0));
  }

  transcriptionEnded(): void {
    this.transcribing.shift();
  }

  /** An event that adds to the conversation. `bytes`: of the whole event, whatever part of it is text. */
  sent(bytes: number, { textBytes, fourBytes, soundLength, pictures }: Said): void {
    const tokens = Math.ceil(textBytes / BYTES_PER_TOKEN);
    const dense = Math.ceil((textBytes + fourBytes) / DENSE_BYTES_PER_TOKEN);
    this.fresh.text += tokens + this.asText(pictures * PICTURE_TOKENS);
    this.fresh.spare += (dense - tokens) * this.rates.text;
    this.fresh.sound += this.heard(soundLength);
    this.tokensMax += bytes + pictures * PICTURE_TOKENS;
  }

  /** As many text tokens as cost the same as these image tokens. */
  private asText(pictureTokens: number): number {
    const { text, picture } = this.rates;
    return text > 0 ? Math.ceil((pictureTokens * picture) / text) : pictureTokens;
  }

  /** Sound that counts when its turn ends. */
  appended(base64Length: number): void {
    const tokens = this.heard(base64Length);
    this.waiting += tokens;
    this.secondsAppended += tokens / HEARD_PER_SECOND;
    this.tokensMax += 2 * tokens;
  }

  /** `startMs`: in all the sound that was appended. From now on sound is speech until the turn ends. */
  speechBegan(startMs: unknown): void {
    this.asked.forgetTurns();
    const since = typeof startMs === "number" ? Math.max(0, this.secondsAppended - startMs / 1_000) : 0;
    this.waiting = Math.min(this.waiting, LEAD_TOKENS + since * HEARD_PER_SECOND);
    this.isTurn = true;
    // While there is time to limit it.
    if (this.settings.answersTurns && this.settings.thinks) this.turnMax = this.settings.outputMax;
  }

  /** The caller ends the turn, with all that waits, as soon as its event has passed. */
  commits(): void {
    this.isTurn = true;
    this.isCommitting = true;
    if (this.settings.answersTurns) this.asked.addTurn();
  }

  /** An event of the caller was sent. */
  passed(): void {
    this.asked.sent();
    if (!this.isCommitting) return;
    this.isCommitting = false;
    this.announced += 1;
    this.endTurn();
  }

  committed(): void {
    if (this.announced > 0) {
      this.announced -= 1;
      return;
    }
    this.endTurn();
    if (this.settings.answersTurns) this.asked.addTurn();
  }

  /** The upstream has refused an event, and no turn may have ended. */
  refused(error: Json): void {
    this.announced = 0;
    if (/^session\b/.test(String(error.param))) this.settings.refused();
    this.asked.refused(error);
  }

  private endTurn(): void {
    this.fresh.sound += this.waiting;
    if (this.transcriptionRate > 0 && this.transcribing.length < RUNNING_MAX) this.transcribing.push(this.waiting);
    this.cleared();
  }

  cleared(): void {
    this.waiting = 0;
    this.isTurn = false;
    this.turnMax = null;
  }

  begin(id: string): void {
    const asked = this.asked.begin();
    const reserved = this.costOfNext(asked, costOfReadingWritten(this.running.values(), this.rates));
    const { context, fresh } = this;
    const input = {
      text: context.text + fresh.text,
      sound: context.sound + fresh.sound,
      cached: context.cached,
      spare: context.spare + fresh.spare,
    };
    this.context = input;
    this.fresh = nothing();
    const begun = startOf(input, this.thoughtMax(asked?.outputMax), reserved);
    const [oldest] = this.running.keys();
    if (oldest !== undefined && this.running.size >= RUNNING_MAX) this.running.delete(oldest);
    this.running.set(id, begun);
    this.last = begun;
    this.runningCost += reserved;
  }

  /** What a piece will cost when it is delivered. */
  costOfPiece({ isSound, bytes }: Piece): number {
    const { writtenText, writtenSound } = this.rates;
    return isSound ? this.spoken(bytes) * writtenSound : (bytes / BYTES_PER_TOKEN) * writtenText;
  }

  delivered(piece: Piece): void {
    const { isSound, bytes } = piece;
    const running = this.last ?? this.beginUnnamed();
    const cost = this.costOfPiece(piece);
    this.runningCost += cost;
    running.reserved += cost;
    if (isSound) running.spoken += this.spoken(bytes);
    else running.writtenBytes += bytes;
    this.tokensMax += isSound ? 2 * this.spoken(bytes) : bytes;
  }

  private spoken(base64Length: number): number {
    return ((base64Length * BASE64) / this.settings.bytesSpoken) * SPOKEN_PER_SECOND;
  }

  /** Ends a response. Returns what it used as estimated; nothing where it has written nothing. */
  end(id: string): BilledUsage {
    const running = this.running.get(id) ?? this.running.get("") ?? null;
    if (!running) return NO_USAGE;
    this.running.delete(this.running.has(id) ? id : "");
    if (this.last === running) this.last = null;
    if (this.running.size === 0) this.runningCost = 0;
    else this.runningCost = Math.max(0, this.runningCost - running.reserved);
    return usageOf([running], false);
  }

  /** Ends all that runs. `countsUnwritten`: what has written nothing yet has read its input all the same. */
  endAll(countsUnwritten: boolean): BilledUsage {
    if (countsUnwritten)
      for (const { isSent } of [...this.asked.all()]) if (isSent) this.begin(`asked ${this.asked.size}`);
    const usage = usageOf([...this.running.values()], countsUnwritten);
    this.running.clear();
    this.last = null;
    this.runningCost = 0;
    return usage;
  }

  soFar(): BilledUsage {
    return usageOf([...this.running.values()], false);
  }

  /** What the upstream reported of a response of the conversation is what the next one reads. */
  reported(usage: BilledUsage): void {
    const { promptTokens, cachedTokens: cached, audioPromptTokens, completionTokens, audioCompletionTokens } = usage;
    const { rates } = this;
    const cachedSound = Math.min(cached, usage.cachedAudioTokens ?? 0);
    const other = usage.cachedImageTokens ? Math.max(rates.text, rates.picture) : rates.text;
    const missed = cachedSound * rates.sound + (cached - cachedSound) * other - cached * rates.cached;
    const plain = Math.max(0, promptTokens - cached - audioPromptTokens);
    const images = Math.min(plain, usage.imagePromptTokens ?? 0);
    const written = Math.max(0, completionTokens - audioCompletionTokens);
    const text = plain - images + this.asText(images) + written;
    const sound = audioPromptTokens + audioCompletionTokens;
    const read = { text, sound, cached, spare: Math.max(0, missed) };
    const { context } = this;
    // Its own words have come to the conversation, whatever it has read.
    const grown = { ...context, text: context.text + written, sound: context.sound + audioCompletionTokens };
    this.context = this.hasOwnInput && this.reservedFor(grown) > this.reservedFor(read) ? grown : read;
  }

  /** The most tokens that a response can have had: of its input, and of what it wrote. `unseenMax`: what it may have thought. */
  mostOf(estimated: BilledUsage, unseenMax: number): UsageBound {
    const { completionTokens, audioCompletionTokens } = estimated;
    const text = (completionTokens - audioCompletionTokens) * BYTES_PER_TOKEN;
    return {
      promptTokens: Math.ceil(this.tokensMax) + this.unseenTokens(),
      completionTokens: text + 2 * audioCompletionTokens + WRITTEN_OVERHEAD + unseenMax,
    };
  }

  private heard(base64Length: number): number {
    const seconds = (base64Length * BASE64) / this.settings.bytesHeard;
    this.secondsHeard += seconds;
    return seconds * HEARD_PER_SECOND;
  }

  /** Of the seconds that a transcription is said to have had, those that it can have had. */
  transcribed(seconds: number): number {
    const possible = Math.min(seconds, this.secondsHeard + ROUNDED_SECONDS);
    this.secondsHeard = Math.max(0, this.secondsHeard - possible);
    return possible;
  }

  private beginUnnamed(): Running {
    this.begin("");
    return this.last ?? startOf(nothing(), 0, 0);
  }
}
