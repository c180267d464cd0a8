import type { Report } from "../../answers/answer";
import { type ContinuationWay, JoinedAnswer } from "../../answers/joined-answer";
import { REPEATED_MIN } from "../../answers/text-join";
import { splitEvents } from "../../answers/whole-events";
import { RelayError } from "../../base/relay-error";
import { countTokens } from "../../base/tokens/count-tokens";
import type { Prefill } from "../../providers/fixes/prefills";
import { isOwnAddress } from "../../providers/serves-responses";
import { ChannelSetupError } from "../../providers/setup-error";
import { type Json, readArray, readObject } from "../../wire/canonical/json";
import type { Frame } from "../../wire/canonical/machine";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import type { Edits, ResumedStream } from "../../wire/dialects/dialect";
import type { Continuation, Encoded, EncodeTarget } from "../operation";
import type { ChatSource } from "./chat-source";
import { encodeChat, formatOf, renderContext, rulesAt } from "./encode-chat";

const LONE_HALF = /[\ud800-\udbff]$/;

/** Null = no upstream can go on with it. `delivered`: the bytes that the client has. */
export function continueChat(source: ChatSource, delivered: Buffer, writers?: readonly string[]): Continuation | null {
  const frames = splitEvents(delivered).flatMap(({ frame }) => (frame ? [frame] : []));
  const resumed = source.dialect.client.resumeStream(frames, renderContext(source));
  if (!resumed) return null;
  // Upstreams refuse a beginning that ends with white space, and half a character is none.
  const given = resumed.thoughts === "" ? resumed.text.trimEnd().replace(LONE_HALF, "") : "";
  const isGivable = given.length >= REPEATED_MIN && !given.startsWith("<think>");
  const has = { frames, isBetweenEvents: endsBlank(delivered) };
  return new ChatContinuation(source, has, isGivable ? given : null, writers);
}

/** What the client has, as `JoinedAnswer` needs it. */
type Delivered = { frames: readonly Frame[]; isBetweenEvents: boolean };

function endsBlank(bytes: Buffer): boolean {
  return /\n\r?\n$/.test(bytes.toString("latin1", Math.max(0, bytes.length - 3)));
}

class ChatContinuation implements Continuation {
  readonly isStream = true;
  way: ContinuationWay["type"] = "repeat";
  private readonly source: ChatSource;
  private readonly delivered: Delivered;
  /** The beginning of the answer as an upstream may be given it; null = it may not. */
  private readonly given: string | null;
  private tokens: number | null = null;
  /** Channels that did not take the beginning of an answer. */
  private readonly refusing = new Set<number>();
  private answer: JoinedAnswer | null = null;
  private readonly writers: readonly string[] | undefined;

  constructor(source: ChatSource, delivered: Delivered, given: string | null, writers?: readonly string[]) {
    this.source = source;
    this.delivered = delivered;
    this.given = given;
    this.writers = writers;
  }

  get model(): string {
    return this.source.model;
  }

  refusedPrefill(channelId: number): boolean {
    if (this.way !== "prefill") return false;
    this.refusing.add(channelId);
    return true;
  }

  ownReport(): Report | null {
    return this.answer?.ownReport() ?? null;
  }

  async encode(target: EncodeTarget): Promise<Encoded> {
    this.answer = null;
    const encoded = await this.encodeWhole(target);
    const changed = await this.withBeginning(encoded, target);
    const { given, tokens } = this;
    const way: ContinuationWay =
      changed && given !== null && tokens !== null
        ? { type: "prefill", given, tokens, echoes: prefillOf(target)?.echoes === true }
        : { type: "repeat" };
    this.way = way.type;
    return { ...encoded, ...changed, openAnswer: () => this.open(target, way) };
  }

  /** Another upstream took the request, so that one which cannot be asked is no reason to refuse it. */
  private async encodeWhole(target: EncodeTarget): Promise<Encoded> {
    try {
      return await encodeChat(this.source, target);
    } catch (error) {
      if (error instanceof RelayError) throw new ChannelSetupError(error.message, "continuation_refused");
      throw error;
    }
  }

  /** Null = the upstream is asked for everything again. */
  private async withBeginning(encoded: Encoded, target: EncodeTarget): Promise<Partial<Encoded> | null> {
    const { given } = this;
    const prefill = prefillOf(target);
    if (given === null || !prefill || this.refusing.has(target.channel.id)) return null;
    const json = parseJsonObject(encoded.body.toString("utf8"));
    const messages = readArray(json?.messages);
    const isOwn = readObject(messages.at(-1)).role !== "assistant";
    if (!json || !isOwn || !prefill.takes(json, target.model)) return null;
    this.tokens ??= await countTokens([given], this.source.model);
    const begun: Json = { ...json, messages: [...messages, { role: "assistant", content: given, ...prefill.mark }] };
    const body = Buffer.from(JSON.stringify({ ...begun, ...limitRest(begun, this.tokens, this.source, target) }));
    return { body, ...(prefill.path === undefined ? {} : { path: prefill.path }) };
  }

  private open(target: EncodeTarget, way: ContinuationWay): JoinedAnswer {
    const { source } = this;
    const { frames, isBetweenEvents } = this.delivered;
    const { client } = source.dialect;
    const upstream = formatOf(source, target);
    const { writers } = this;
    const context = { ...renderContext(source), ...(writers ? { writers } : {}) };
    // Read again each time, because a renderer goes on from where it was left.
    const resumed = client.resumeStream(frames, context) as ResumedStream;
    const { readUsage } = upstream;
    this.answer = new JoinedAnswer({
      upstream,
      clientDialect: client,
      context,
      readUsage,
      resumed,
      way,
      isBetweenEvents,
    });
    return this.answer;
  }
}

/** A stranger may ignore what asks for it, and begin anew in other words. */
function prefillOf({ row, channel, isUntouched }: EncodeTarget): Prefill | undefined {
  const { prefill } = row.quirks;
  const isKnown = isOwnAddress(channel, row) || channel.setting.takesPrefill;
  return prefill && !isUntouched && isKnown ? prefill : undefined;
}

/** The answer's limit counts what has been said. */
function limitRest(json: Json, said: number, source: ChatSource, target: EncodeTarget): Edits {
  const { readCompletionMax, capEdits } = formatOf(source, target);
  const max = readCompletionMax(json);
  return max === null ? {} : capEdits(json, Math.max(1, max - said), rulesAt(target, target.model));
}
