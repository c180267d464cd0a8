import { priceBound } from "@/lib/billing/price";
import type { BilledUsage, PriceRow } from "@/lib/billing/types";
import type { Report } from "../../answers/answer";
import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { dialects } from "../../dialects";
import type { Dialect, RequestFacts } from "../../dialects/dialect";
import { type Span, scanTopLevel } from "../../json-splice";
import type { Call, Encoded, EncodeTarget, Intake } from "../operation";
import { encodeChat } from "./encode-chat";
import { measureChat } from "./measure-chat";
import { refused } from "./refused";

/** A conversation request: its bytes as they came, and what its dialect read from them. */
export class ChatIntake implements Intake {
  readonly call: Call;
  readonly dialect: Dialect;
  readonly body: Buffer;
  readonly json: Readonly<Json>;
  readonly spans: Map<string, Span>;
  readonly facts: RequestFacts;

  constructor(call: Call, dialect: Dialect, bytes: Buffer, json: Json, facts: RequestFacts) {
    this.call = call;
    this.dialect = dialect;
    this.json = json;
    this.facts = facts;
    const scanned = scanTopLevel(bytes);
    // A key written twice or with escapes means different things to different readers: the body is written anew.
    this.body = scanned ? bytes : Buffer.from(JSON.stringify(json));
    this.spans = scanned ?? scanTopLevel(this.body) ?? new Map();
  }

  get model(): string {
    return this.facts.model;
  }

  get isStream(): boolean {
    return this.facts.isStream;
  }

  words(): Iterable<string> {
    return this.dialect.caller.promptWords(this.json);
  }

  /** The prompt by its length, two bytes a token; the completion by its own limit. */
  bound(price: PriceRow, completionTokens: number): number {
    const { attachments, completionTokensMax, choices } = this.facts;
    const textBytes = Math.max(0, this.body.length - attachments.encodedBytes);
    const prompt = Math.ceil(textBytes / 2) + attachments.tokens;
    return priceBound(prompt, (completionTokensMax ?? completionTokens) * choices, price);
  }

  encode(target: EncodeTarget): Encoded | Promise<Encoded> {
    return encodeChat(this, target);
  }

  measure(report: Report | null): BilledUsage | Promise<BilledUsage> {
    return measureChat(this, report);
  }

  /** The same request with another body. */
  withJson(json: Json): ChatIntake {
    return new ChatIntake(this.call, this.dialect, Buffer.from(JSON.stringify(json)), json, this.facts);
  }
}

/** Reads a conversation request in the caller's dialect. Throws 400 for what is not one. */
export function readChat(body: Buffer, call: Call): ChatIntake {
  const dialect = dialects.get(call.caller.dialect);
  if (!dialect) throw new Error(`the dialect ${call.caller.dialect} is not registered`);
  const json = readJson(body, call);
  try {
    return new ChatIntake(call, dialect, body, json, call.caller.readFacts(json, call.path));
  } catch (error) {
    throw refused(error, call);
  }
}

function readJson(body: Buffer, call: Call): Json {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw refused(new InvalidRequest("the request body is not valid JSON"), call);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused(new InvalidRequest("the request body must be a JSON object"), call);
  }
  return value as Json;
}
