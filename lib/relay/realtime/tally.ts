import type { UsageBound } from "@/lib/billing/bound-usage";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Rates } from "./rates";

/** Bytes of sound in a second: PCM at 24 kHz with 16 bits, and G.711. */
export const SOUND_BYTES = { pcm: 48_000, g711: 8_000 } as const;
/** OpenAI's models hear a token in 100 ms, and speak one in 50 ms. */
export const HEARD_PER_SECOND = 10;
const SPOKEN_PER_SECOND = 20;
const BYTES_PER_TOKEN = 3;
const BASE64 = 3 / 4;
/** Sound that waits for a turn to end counts up to so many tokens: most of what a microphone sends is silence. */
const WAITING_TOKENS_MAX = 300;
/** Heard before somebody is found to speak. */
const LEAD_TOKENS = 10;
/** Makers count a part of a second as a whole one. */
const ROUNDED_SECONDS = 1;
/** Responses that run at a time; upstreams allow one in a conversation. */
const RUNNING_MAX = 64;
/** What events and responses hold besides their text. */
const OVERHEAD_TOKENS = 8_192;
const WRITTEN_OVERHEAD = 256;
/** What the upstream puts into a conversation itself: stored prompts, the answers of its own tools. */
const UNSEEN_TOKENS = 200_000;

/** A picture costs less at all makers. */
const PICTURE_TOKENS = 2_000;

/** A piece of an answer. `bytes`: of its text, or of its base64. */
export type Piece = { isSound: boolean; bytes: number };

/** What an event adds to the conversation. `soundLength`: of its base64. */
export type Said = { textBytes: number; soundLength: number; pictures: number };

type Input = { text: number; sound: number; cached: number };

/** A response that runs, in tokens as estimated. */
type Running = Input & { writtenBytes: number; spoken: number };

const NOTHING: Running = Object.freeze({ text: 0, sound: 0, cached: 0, writtenBytes: 0, spoken: 0 });

/**
 * What a session has sent and got since its last charge, by lengths. The reservation follows it; it is charged only where
 * the upstream reports nothing.
 */
export class Tally {
  /** Of the sound that the caller sends, and that it gets. */
  bytesHeard: number = SOUND_BYTES.pcm;
  bytesSpoken: number = SOUND_BYTES.pcm;
  /** The upstream may add to the conversation what nobody sent. */
  hasUnseen = false;
  private readonly rates: Rates;
  /** What the next response will read of what the last one read and wrote. */
  private context: Input = { text: 0, sound: 0, cached: 0 };
  /** What the caller has added since the last response began. */
  private fresh: Input = { text: 0, sound: 0, cached: 0 };
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
  private readonly running = new Map<string, Running>();
  private last: Running | null = null;
  /** Quota that the running responses have cost so far. */
  private runningCost = 0;
  /** Of the whole session: no input has more tokens. */
  private tokensMax = OVERHEAD_TOKENS;

  constructor(rates: Rates) {
    this.rates = rates;
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Quota that has to be reserved for what runs, else for the input of the next response. */
  needed(): number {
    const waiting = this.isTurn ? this.waiting : Math.min(this.waiting, WAITING_TOKENS_MAX);
    const fresh = this.costOf(this.fresh) + waiting * this.rates.sound + this.transcriptionCost(waiting);
    if (this.running.size > 0) return this.runningCost + fresh;
    return this.costOf(this.context) + fresh + this.rates.call;
  }

  /** Of the sound that will be transcribed, and of what is rounded up. */
  private transcriptionCost(waiting: number): number {
    const { transcribing, transcriptionRate } = this;
    if (transcriptionRate === 0 || (waiting === 0 && transcribing.length === 0)) return 0;
    const tokens = transcribing.reduce((sum, of) => sum + of + HEARD_PER_SECOND, waiting + HEARD_PER_SECOND);
    return tokens * transcriptionRate;
  }

  /** The dearest model that was named transcribes. `perSecond`: quota. */
  transcribesAt(perSecond: number): void {
    this.transcriptionRate = Math.max(this.transcriptionRate, perSecond / HEARD_PER_SECOND);
  }

  /** Tokens of the turns whose transcriptions did not come. */
  untranscribed(): number {
    return Math.ceil(this.transcribing.splice(0).reduce((sum, of) => sum + of, 0));
  }

  transcriptionEnded(): void {
    this.transcribing.shift();
  }

  /** An event that adds to the conversation. `bytes`: of the whole event, whatever part of it is text. */
  sent(bytes: number, { textBytes, soundLength, pictures }: Said): void {
    this.fresh.text += Math.ceil(textBytes / BYTES_PER_TOKEN) + this.asText(pictures * PICTURE_TOKENS);
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
    const since = typeof startMs === "number" ? Math.max(0, this.secondsAppended - startMs / 1_000) : 0;
    this.waiting = Math.min(this.waiting, LEAD_TOKENS + since * HEARD_PER_SECOND);
    this.isTurn = true;
  }

  /** The caller ends the turn, with all that waits, as soon as its event has passed. */
  commits(): void {
    this.isTurn = true;
    this.isCommitting = true;
  }

  /** An event of the caller was sent. */
  passed(): void {
    if (!this.isCommitting) return;
    this.isCommitting = false;
    this.announced += 1;
    this.endTurn();
  }

  committed(): void {
    if (this.announced > 0) this.announced -= 1;
    else this.endTurn();
  }

  /** The upstream has refused an event, and no turn may have ended. */
  refused(): void {
    this.announced = 0;
  }

  private endTurn(): void {
    this.fresh.sound += this.waiting;
    if (this.transcriptionRate > 0 && this.transcribing.length < RUNNING_MAX) this.transcribing.push(this.waiting);
    this.cleared();
  }

  cleared(): void {
    this.waiting = 0;
    this.isTurn = false;
  }

  begin(id: string): void {
    const { context, fresh } = this;
    const input = {
      text: context.text + fresh.text,
      sound: context.sound + fresh.sound,
      cached: context.cached,
    };
    this.context = input;
    this.fresh = { text: 0, sound: 0, cached: 0 };
    this.last = { ...input, writtenBytes: 0, spoken: 0 };
    const [oldest] = this.running.keys();
    if (oldest !== undefined && this.running.size >= RUNNING_MAX) this.running.delete(oldest);
    this.running.set(id, this.last);
    this.runningCost += this.costOf(input) + this.rates.call;
  }

  /** What a piece will cost when it is delivered. */
  costOfPiece({ isSound, bytes }: Piece): number {
    const { writtenText, writtenSound } = this.rates;
    return isSound ? this.spoken(bytes) * writtenSound : (bytes / BYTES_PER_TOKEN) * writtenText;
  }

  delivered(piece: Piece): void {
    const { isSound, bytes } = piece;
    const running = this.last ?? this.beginUnnamed();
    this.runningCost += this.costOfPiece(piece);
    if (isSound) running.spoken += this.spoken(bytes);
    else running.writtenBytes += bytes;
    this.tokensMax += isSound ? 2 * this.spoken(bytes) : bytes;
  }

  private spoken(base64Length: number): number {
    return ((base64Length * BASE64) / this.bytesSpoken) * SPOKEN_PER_SECOND;
  }

  /** Ends a response. Returns what it used as estimated; nothing where it has written nothing. */
  end(id: string): BilledUsage {
    const running = this.running.get(id) ?? this.running.get("") ?? null;
    if (!running) return NO_USAGE;
    this.running.delete(this.running.has(id) ? id : "");
    if (this.last === running) this.last = null;
    if (this.running.size === 0) this.runningCost = 0;
    else this.runningCost = Math.max(0, this.runningCost - this.costOfRunning(running));
    return usageOf([running], false);
  }

  /** Ends all that runs. `countsUnwritten`: what has written nothing yet has read its input all the same. */
  endAll(countsUnwritten: boolean): BilledUsage {
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
    const plain = Math.max(0, promptTokens - cached - audioPromptTokens);
    const images = Math.min(plain, usage.imagePromptTokens ?? 0);
    const text = plain - images + this.asText(images) + Math.max(0, completionTokens - audioCompletionTokens);
    this.context = { text, sound: audioPromptTokens + audioCompletionTokens, cached };
  }

  /** The most tokens that a response can have had: of its input, and of what it wrote. `unseenMax`: what it may have thought. */
  mostOf(estimated: BilledUsage, unseenMax: number): UsageBound {
    const { completionTokens, audioCompletionTokens } = estimated;
    const text = (completionTokens - audioCompletionTokens) * BYTES_PER_TOKEN;
    return {
      promptTokens: Math.ceil(this.tokensMax) + (this.hasUnseen ? UNSEEN_TOKENS : 0),
      completionTokens: text + 2 * audioCompletionTokens + WRITTEN_OVERHEAD + unseenMax,
    };
  }

  private heard(base64Length: number): number {
    const seconds = (base64Length * BASE64) / this.bytesHeard;
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
    return this.last ?? { ...NOTHING };
  }

  private costOf({ text, sound, cached }: Input): number {
    const { rates } = this;
    return text * rates.text + sound * rates.sound + cached * rates.cached;
  }

  private costOfRunning(running: Running): number {
    const { rates } = this;
    const written = (running.writtenBytes / BYTES_PER_TOKEN) * rates.writtenText + running.spoken * rates.writtenSound;
    return this.costOf(running) + written + rates.call;
  }
}

function usageOf(all: readonly Running[], countsUnwritten: boolean): BilledUsage {
  const usage = { ...NO_USAGE, estimated: true };
  for (const { text, sound, cached, writtenBytes, spoken } of all) {
    if (!countsUnwritten && writtenBytes === 0 && spoken === 0) continue;
    usage.promptTokens += Math.ceil(text) + Math.ceil(sound) + cached;
    usage.audioPromptTokens += Math.ceil(sound);
    usage.cachedTokens += cached;
    usage.completionTokens += Math.ceil(writtenBytes / BYTES_PER_TOKEN) + Math.ceil(spoken);
    usage.audioCompletionTokens += Math.ceil(spoken);
  }
  return usage.promptTokens + usage.completionTokens === 0 ? NO_USAGE : usage;
}
