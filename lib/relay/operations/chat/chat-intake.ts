import type { BilledUsage } from "@/lib/billing/types";
import { FALLBACKS_MAX, isModelName } from "@/lib/model-fallbacks";
import type { Report } from "../../answers/answer";
import { applyEdits } from "../../base/json-splice";
import { fourByteLength } from "../../base/tokens/glyph-tokens";
import { servesResponses } from "../../providers/serves-responses";
import type { Json } from "../../wire/canonical/json";
import type { ObjectReference } from "../../wire/canonical/upstream-object";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { dialects } from "../../wire/dialects";
import { refuseDearOptions, withoutDearOptions } from "../../wire/dialects/common/option-rule";
import { storedAddressIn } from "../../wire/dialects/common/stored-address";
import type { Conversation, Dialect, RequestFacts } from "../../wire/dialects/dialect";
import type { Call, Continuation, Encoded, EncodeTarget, Intake, Need, OperationId, Sent } from "../operation";
import { refused } from "../operation";
import { ChatSource } from "./chat-source";
import { continueChat } from "./continue-chat";
import { encodeChat } from "./encode-chat";
import { estimatePrompt, measureChat, measureRunning } from "./measure-chat";
import { readJson } from "./read-json";

const NONE: readonly string[] = [];
const NOTHING: readonly ObjectReference[] = [];

/** A conversation request as the stages need it. */
export class ChatIntake extends ChatSource implements Intake {
  readonly operation: OperationId = "chat";
  readonly fallbacks: readonly string[];
  readonly references: readonly ObjectReference[];
  readonly storedAddress: string | null;
  private promptTokens: number | undefined;
  private ofNeed: Need | undefined;

  constructor(call: Call, dialect: Dialect, body: Buffer, json: Json, facts: RequestFacts, fallbacks = NONE) {
    super(call, dialect, body, json, facts);
    this.fallbacks = fallbacks;
    this.storedAddress = storedAddressIn(json);
    this.references = call.clientDialect.references ? referencesOf(json, call) : NOTHING;
  }

  get asksToStore(): boolean {
    return this.call.clientDialect.asksToStore?.(this.json) === true;
  }

  get fits(): Intake["fits"] {
    return this.facts.isBackground ? servesResponses : undefined;
  }

  withModel(model: string): ChatIntake {
    const { call, spans } = this;
    if (call.clientDialect.pathWithModel) {
      const path = call.clientDialect.pathWithModel(call.path, model);
      return this.remake({ ...call, path }, this.body, this.json);
    }
    return this.remake(call, applyEdits(this.body, this.json, spans, { model }), { ...this.json, model });
  }

  protected remake(call: Call, body: Buffer, json: Json): ChatIntake {
    return new ChatIntake(call, this.dialect, body, json, factsOf(json, call));
  }

  words(): Iterable<string> {
    return this.dialect.client.promptWords(this.json);
  }

  get need(): Need {
    // It takes a pass over the body.
    this.ofNeed ??= this.readNeed();
    return this.ofNeed;
  }

  /** The prompt is estimated from its length: two bytes a token, but for characters of four, each of whose bytes may be one. */
  private readNeed(): Need {
    const { attachments, hidden, completionTokensMax, choices, writesAudio, asksToThink, isBackground } = this.facts;
    const promptTokens = Math.ceil((this.textBytes + fourByteLength(this.body)) / 2) + attachments.tokens;
    const { audioTokens: audioPromptTokens, tokens: imagePromptTokens } = attachments;
    const prompt = { promptTokens, imagePromptTokens, audioPromptTokens, writesAudio };
    const need: Need = { prompt, completionTokensMax, choices, asksToThink };
    if (hidden) need.hidden = hidden;
    if (isBackground) need.isBackground = true;
    return need;
  }

  conversation(): { conversation: Conversation; promptBytes: number } {
    return { conversation: this.dialect.client.readConversation(this.json), promptBytes: this.textBytes };
  }

  private get textBytes(): number {
    return Math.max(0, this.body.length - this.facts.attachments.encodedBytes);
  }

  encode(target: EncodeTarget): Encoded | Promise<Encoded> {
    return encodeChat(this, target);
  }

  get isContinuable(): boolean {
    return this.isStream && !this.facts.isBackground && this.dialect.client.isContinuable(this.json);
  }

  continuation(delivered: Buffer, writers?: readonly string[]): Continuation | null {
    return continueChat(this, delivered, writers);
  }

  measure(report: Report | null, sent: Sent | null): BilledUsage | Promise<BilledUsage> {
    return measureChat(this, report, sent);
  }

  measureSoFar(report: Report): Pick<BilledUsage, "promptTokens" | "completionTokens"> {
    this.promptTokens ??= estimatePrompt(this);
    return measureRunning(this.promptTokens, report);
  }
}

/** Reads a conversation request in the client's dialect. Throws a RelayError with 400 when it is invalid. */
export function readChat(body: Buffer, call: Call): ChatIntake {
  const dialect = dialects.get(call.clientDialect.dialect);
  if (!dialect) throw new Error(`the dialect ${call.clientDialect.dialect} is not registered`);
  return readConversationLike(body, call, (bytes, json, facts, fallbacks) => {
    return new ChatIntake(call, dialect, bytes, json, facts, fallbacks);
  });
}

/** `make`: the intake, of a body that may have been written anew. Throws a RelayError with 400. */
export function readConversationLike<Made>(
  body: Buffer,
  call: Call,
  make: (body: Buffer, json: Json, facts: RequestFacts, fallbacks: readonly string[]) => Made,
): Made {
  const { json: given, bytes: unique } = readJson(body, call);
  const json = withoutDearOptions(call.clientDialect.options, given, call.allowedOptions);
  const facts = factsOf(json, call);
  const { fallbacksField: field } = call.clientDialect;
  if (field === undefined || json[field] === undefined) {
    const bytes = json === given ? unique : Buffer.from(JSON.stringify(json));
    return make(bytes, json, facts, NONE);
  }
  const fallbacks = fallbacksOf(json, field, call);
  const { [field]: _, ...sent } = json;
  return make(Buffer.from(JSON.stringify(sent)), sent, facts, fallbacks);
}

function factsOf(json: Json, call: Call): RequestFacts {
  try {
    const facts = call.clientDialect.readFacts(json, call.path);
    refuseDearOptions(call.clientDialect.options, json, call.allowedOptions, facts.model);
    return facts;
  } catch (error) {
    throw refused(error, call);
  }
}

function referencesOf(json: Json, call: Call): readonly ObjectReference[] {
  try {
    return call.clientDialect.references?.(json) ?? NOTHING;
  } catch (error) {
    throw refused(error, call);
  }
}

function fallbacksOf(json: Json, field: string, call: Call): readonly string[] {
  try {
    return readModelList(json, field);
  } catch (error) {
    throw refused(error, call);
  }
}

/** At most five names of models; [] = not given. */
function readModelList(json: Json, name: string): readonly string[] {
  const value = json[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > FALLBACKS_MAX || !value.every(isModelName)) {
    throw new InvalidRequest(`${name} must be a list of at most ${FALLBACKS_MAX} names of models`, name);
  }
  return value;
}
