import type { SnapshotChannel } from "@/lib/snapshot/store";
import { PassThroughAnswer } from "../../answers/pass-through";
import { applyEdits, type Span, scanTopLevel } from "../../base/json-splice";
import { countTokens, freeCounter } from "../../base/tokens/count-tokens";
import { forwardedHeaders } from "../../operations/chat/encode-chat";
import { readJson } from "../../operations/chat/read-json";
import type { Call, Encoded, EncodeTarget, Sendable } from "../../operations/operation";
import { refused } from "../../operations/operation";
import { rows } from "../../providers/rows";
import { unsupportedType } from "../../providers/setup-error";
import type { Json } from "../../wire/canonical/json";
import { dialects } from "../../wire/dialects";
import { storedAddressIn } from "../../wire/dialects/common/stored-address";
import { storedIds } from "../../wire/dialects/common/stored-ids";
import type { Dialect, RequestFacts, UpstreamDialect } from "../../wire/dialects/dialect";
import { type CountForm, countForms } from "./count-forms";

export type CountCall = Omit<Call, "operation">;

/** A request for the number of tokens that a conversation's prompt has. */
export class CountRequest implements Sendable {
  readonly isStream = false;
  readonly model: string;
  readonly storedAddress: string | null;
  private readonly call: CountCall;
  private readonly dialect: Dialect;
  private readonly form: CountForm;
  private readonly body: Buffer;
  private readonly spans: Map<string, Span>;
  private readonly json: Json;
  private readonly facts: RequestFacts;

  /** Throws RelayError with 400. */
  constructor(body: Buffer, call: CountCall) {
    const { dialect: id } = call.clientDialect;
    const [dialect, form] = [dialects.get(id), countForms.get(id)];
    if (!dialect || !form) throw new Error(`tokens of the dialect ${id} cannot be counted`);
    this.call = call;
    this.dialect = dialect;
    this.form = form;
    const { json, bytes } = readJson(body, call);
    this.json = json;
    const scanned = scanTopLevel(bytes);
    // As in conversations: nobody may name one model to us and another one to the upstream.
    this.body = scanned ? bytes : Buffer.from(JSON.stringify(this.json));
    this.spans = scanned ?? scanTopLevel(this.body) ?? new Map();
    this.facts = this.readFacts();
    this.storedAddress = storedAddressIn(this.json);
    this.model = this.facts.model;
  }

  private readFacts(): RequestFacts {
    try {
      return this.call.clientDialect.readFacts(this.prompt, this.form.promptPath(this.call.path));
    } catch (error) {
      throw refused(error, this.call);
    }
  }

  /** The conversation that is counted. */
  private get prompt(): Json {
    return this.form.promptOf(this.json);
  }

  /** Whose a stored file is, is looked up for conversations only. */
  private get namesNothingStored(): boolean {
    return storedIds(this.json, this.call.clientDialect.names).length === 0;
  }

  /** Whether the channel's upstream speaks this dialect and counts in it. */
  isCountedBy({ type }: SnapshotChannel): boolean {
    const row = rows.get(type);
    return row?.countUrl !== undefined && row.dialect === this.dialect.id && this.namesNothingStored;
  }

  /** The client's bytes, with the upstream's name of the model. Throws ChannelSetupError where it is another format. */
  encode({ channel, row, model }: EncodeTarget): Encoded {
    const { call, dialect, json } = this;
    if (!row.countUrl || !this.isCountedBy(channel)) throw unsupportedType(channel.type);
    const edits = model === this.model ? {} : this.form.rename(json, model);
    const upstream = answering(dialect.upstream, this.form);
    return {
      path: call.path,
      query: "",
      url: row.countUrl,
      headers: forwardedHeaders(call, dialect.upstream),
      body: applyEdits(this.body, json, this.spans, edits),
      openAnswer: (secrets) =>
        new PassThroughAnswer({
          dialect: upstream,
          isStream: false,
          withholdUsage: false,
          readUsage: () => null,
          reshape: null,
          secrets,
        }),
    };
  }

  /** The answer by our own count. Never rejects. */
  async answer(): Promise<object> {
    const { texts, extra } = this.dialect.client.promptTexts(this.prompt);
    const { attachments, hidden } = this.facts;
    const tokensOfTexts = await countTokens(texts, this.model, freeCounter);
    return this.form.answer(tokensOfTexts + extra, attachments.tokens + attachments.audioTokens === 0 && !hidden);
  }
}

function answering(upstream: UpstreamDialect, { answerKey }: CountForm): UpstreamDialect {
  const hasAnswer = (json: Json): boolean => typeof json[answerKey] === "number";
  return { ...upstream, passThrough: { ...upstream.passThrough, answerKey: JSON.stringify(answerKey), hasAnswer } };
}
