import type { BilledUsage } from "@/lib/billing/types";
import type { Report } from "../../answers/answer";
import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { dialects } from "../../dialects";
import { refuseDearOptions } from "../../dialects/option-rule";
import type { Call, Encoded, EncodeTarget, Intake, Need, Sent } from "../operation";
import { ChatSource } from "./chat-source";
import { encodeChat } from "./encode-chat";
import { estimatePrompt, measureChat, measureRunning } from "./measure-chat";
import { refused } from "./refused";

/** A conversation request as the stages need it. */
export class ChatIntake extends ChatSource implements Intake {
  private promptTokens: number | undefined;

  words(): Iterable<string> {
    return this.dialect.caller.promptWords(this.json);
  }

  /** The prompt is estimated from its length, at two bytes per token. */
  get need(): Need {
    const { attachments, completionTokensMax, choices, writesAudio, asksToThink } = this.facts;
    const textBytes = Math.max(0, this.body.length - attachments.encodedBytes);
    const promptTokens = Math.ceil(textBytes / 2) + attachments.tokens;
    const prompt = { promptTokens, audioPromptTokens: attachments.audioTokens, writesAudio };
    return { prompt, completionTokensMax, choices, asksToThink };
  }

  encode(target: EncodeTarget): Encoded | Promise<Encoded> {
    return encodeChat(this, target);
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
  const dialect = dialects.get(call.caller.dialect);
  if (!dialect) throw new Error(`the dialect ${call.caller.dialect} is not registered`);
  const json = readJson(body, call);
  try {
    const facts = call.caller.readFacts(json, call.path);
    refuseDearOptions(call.caller.options, json, call.allowedOptions);
    return new ChatIntake(call, dialect, body, json, facts);
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
