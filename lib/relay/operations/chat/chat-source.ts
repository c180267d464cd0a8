import { type Span, scanTopLevel } from "../../base/json-splice";
import type { Json } from "../../wire/canonical/json";
import type { Dialect, RequestFacts } from "../../wire/dialects/dialect";
import type { Call } from "../operation";

/** A conversation request: the bytes as received, and what its dialect read from them. */
export class ChatSource {
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
    // Parsers disagree about duplicate keys and keys with escapes, so such a body is rewritten.
    this.body = scanned ? bytes : Buffer.from(JSON.stringify(json));
    this.spans = scanned ?? scanTopLevel(this.body) ?? new Map();
  }

  get model(): string {
    return this.facts.model;
  }

  get isStream(): boolean {
    return this.facts.isStream;
  }

  withJson(json: Json): ChatSource {
    return new ChatSource(this.call, this.dialect, Buffer.from(JSON.stringify(json)), json, this.facts);
  }
}
