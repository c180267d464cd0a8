import type { Snapshot } from "@/lib/snapshot/store";
import { type Caller, checkOperation } from "../../admission/authenticate";
import { checkWords } from "../../admission/check-words";
import { quoteRequest } from "../../admission/quote";
import { measureJson } from "../../base/json-bounds";
import { scanTopLevel } from "../../base/json-splice";
import type { LargeBody } from "../../base/large-body";
import { RelayError } from "../../base/relay-error";
import { operations } from "../../operations";
import { readJson } from "../../operations/chat/read-json";
import type { Call, Intake, Operation } from "../../operations/operation";
import { findRoute } from "../../routing/route";
import { readText } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { addedAnswerTokens } from "../../wire/dialects/common/hidden-content";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { knownNames, refuseOtherCase } from "../../wire/dialects/common/known-names";
import { withoutDearOptions } from "../../wire/dialects/common/option-rule";
import type { ClientDialect } from "../../wire/dialects/dialect";

/** What a file of requests consists of. */
export type BatchSummary = {
  endpoint: string;
  model: string;
  lines: number;
  bytes: number;
  /** The most that all requests together can have. */
  promptTokens: number;
  completionTokens: number;
};

export const BATCH_ENDPOINTS = ["/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/completions"];

const LINES_MAX = 50_000;
const LINE_BYTES_MAX = 8 * 1_048_576;
const ID_MAX = 64;
const NEWLINE = 0x0a;

/**
 * Reads every line of a file of requests as if it were sent alone: its model must be allowed and priced for this caller.
 * Rejects with 400 and the number of the first line that is not.
 */
export async function readRequests(
  file: LargeBody,
  caller: Caller,
  snapshot: Snapshot,
  requestId: string,
): Promise<BatchSummary> {
  const reading = new Reading(caller, snapshot, requestId);
  for await (const line of linesOf(file.open())) reading.add(line);
  return reading.end(file.length);
}

class Reading {
  private readonly caller: Caller;
  private readonly snapshot: Snapshot;
  private readonly requestId: string;
  private readonly ids = new Set<string>();
  private number = 0;
  private sum: Omit<BatchSummary, "bytes" | "lines"> | null = null;

  constructor(caller: Caller, snapshot: Snapshot, requestId: string) {
    this.caller = caller;
    this.snapshot = snapshot;
    this.requestId = requestId;
  }

  add(line: Buffer): void {
    this.number += 1;
    if (line.length === 0) return;
    try {
      // Some readers of files end lines there too.
      if (line.includes(0x0d)) throw invalid("has a carriage return within it");
      this.read(line);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      throw invalid(`line ${this.number}: ${error.message}`);
    }
  }

  private read(line: Buffer): void {
    if (line.length > LINE_BYTES_MAX) throw invalid(`is longer than ${LINE_BYTES_MAX} bytes`);
    if (!("values" in measureJson(line))) throw invalid("is nested too deeply or has too many values");
    const json = parseJsonObject(line.toString("utf8"));
    if (!json) throw invalid("is no JSON object");
    for (const name of Object.keys(json)) refuseLineName(name);
    const body = partOf(line, "body");
    const id = readText(json.custom_id);
    if (id === "" || id.length > ID_MAX) throw invalid(`custom_id must have 1 to ${ID_MAX} characters`);
    if (this.ids.has(id)) throw invalid("custom_id is there more than once");
    this.ids.add(id);
    if (this.ids.size > LINES_MAX) throw invalid(`a file may have at most ${LINES_MAX} requests`);
    if (json.method !== "POST") throw invalid("method must be POST");
    this.count(readText(json.url), body);
  }

  private count(url: string, body: Buffer): void {
    const { caller, snapshot, sum } = this;
    const { operation, intake } = intakeOf(url, body, this.requestId, snapshot);
    checkOperation(caller, operation.id);
    checkAlone(intake);
    checkWords(intake, snapshot.options);
    const route = findRoute(caller, intake.model, snapshot, operation.id);
    const { need, price, limits, prompt, hidden, ...quote } = quoteRequest(intake, route, caller.user, snapshot);
    if (price.modelPrice !== null || price.metersOnly || need.meters) {
      throw invalid(`the model ${intake.model} is not priced by tokens, so that it cannot be used in batches`);
    }
    const { promptTokens, audioPromptTokens, writesAudio } = prompt;
    if (audioPromptTokens > 0 || writesAudio) throw invalid("sound cannot be used in batches");
    const asked = need.completionTokensMax;
    if (asked === null && !limits.isKnown) {
      throw invalid(`the model ${intake.model} may write without bounds: set max_tokens or max_output_tokens`);
    }
    // No limit of ours is written into the file, so that what it asks for is what it can get.
    const answer = Math.max(quote.completionTokensMax, (asked ?? 0) * need.choices);
    const completionTokensMax = answer + addedAnswerTokens(hidden, 1);
    if (sum && (sum.endpoint !== url || sum.model !== intake.model)) {
      throw invalid(`every request of a file needs the same url and model: ${sum.endpoint}, ${sum.model}`);
    }
    this.sum = {
      endpoint: url,
      model: intake.model,
      promptTokens: (sum?.promptTokens ?? 0) + promptTokens,
      completionTokens: (sum?.completionTokens ?? 0) + completionTokensMax,
    };
  }

  end(bytes: number): BatchSummary {
    if (!this.sum) throw invalid("the file has no requests");
    return { ...this.sum, lines: this.ids.size, bytes };
  }
}

function intakeOf(
  url: string,
  body: Buffer,
  requestId: string,
  { options }: Snapshot,
): { operation: Operation; intake: Intake } {
  const found = operationOf(url);
  if (!found) throw invalid(`url must be one of ${BATCH_ENDPOINTS.join(", ")}`);
  const { operation, clientDialect } = found;
  const allowedOptions = options.AllowedRequestOptions;
  const call: Call = { operation, clientDialect, requestId, path: url, query: "", headers: {}, allowedOptions };
  const { json, bytes } = readJson(body, call);
  if (bytes !== body) throw invalid("body has a name twice within an object");
  // What is left out of a request that is sent alone would stay in the file.
  if (withoutDearOptions(clientDialect.options, json, allowedOptions) !== json)
    throw invalid("has tools that are not allowed");
  return { operation, intake: operation.read(body, call) };
}

/** What requests of a batch with this path are; undefined = there are no such. */
export function operationOf(url: string): { operation: Operation; clientDialect: ClientDialect } | undefined {
  for (const operation of BATCH_ENDPOINTS.includes(url) ? operations : []) {
    const endpoint = operation.endpoints.find(({ path }) => path === url);
    if (endpoint) return { operation, clientDialect: endpoint.clientDialect };
  }
  return undefined;
}

const LINE = knownNames({ fields: ["custom_id", "method", "url", "body"] });

function refuseLineName(name: string): void {
  try {
    refuseOtherCase(name, LINE);
  } catch (error) {
    throw error instanceof InvalidRequest ? invalid(error.message) : error;
  }
}

/**
 * The bytes of an object within an object. Parsers disagree about keys that are there twice or have escapes, and the
 * upstream reads these bytes too.
 */
function partOf(line: Buffer, name: string): Buffer {
  const span = scanTopLevel(line)?.get(name);
  const part = span && line.subarray(span.start, span.end);
  if (!part || !scanTopLevel(part))
    throw invalid(`${name} must be an object, and no key may be there twice or have escapes`);
  return part;
}

/** What a batch cannot do. */
function checkAlone(intake: Intake): void {
  if (intake.isStream) throw invalid("stream cannot be used in batches");
  if (intake.fits) throw invalid("background cannot be used in batches");
  if (intake.fallbacks.length > 0) throw invalid("other models cannot be named in batches");
  if (intake.storedAddress) throw invalid(`${intake.storedAddress} names a file of an upstream's own storage`);
  if (intake.references && intake.references.length > 0) throw invalid("stored objects cannot be named in batches");
}

function invalid(message: string): RelayError {
  return new RelayError("invalid_batch_file", message, { param: "file" });
}

/** The lines of a stream, without their ends. Throws 400 for one that is too long to be read. */
export async function* linesOf(stream: AsyncIterable<Buffer>, lineMax = 2 * LINE_BYTES_MAX): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let held = 0;
  for await (const part of stream) {
    let start = 0;
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, start)) {
      yield trimmed(Buffer.concat([...parts, part.subarray(start, end)]));
      parts = [];
      held = 0;
      start = end + 1;
    }
    if (start === part.length) continue;
    parts.push(part.subarray(start));
    held += part.length - start;
    if (held > lineMax) throw invalid(`a line is longer than ${lineMax} bytes`);
  }
  if (held > 0) yield trimmed(Buffer.concat(parts));
}

function trimmed(line: Buffer): Buffer {
  return line[line.length - 1] === 0x0d ? line.subarray(0, -1) : line;
}
