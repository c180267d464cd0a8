import { priceUsage } from "@/lib/billing/price";
import type { BilledUsage } from "@/lib/billing/types";
import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import type { Report } from "../../answers/answer";
import { unsupportedType } from "../../providers/setup-error";
import type { Json } from "../../wire/canonical/json";
import { ChatIntake, readConversationLike } from "../chat/chat-intake";
import { encodeSame, translate } from "../chat/encode-chat";
import type { Call, Encoded, EncodeTarget, Intake, Operation, OperationId, Sent } from "../operation";
import { jsonTest } from "../operation-test";
import { completionsDialect, promptRun } from "./dialect";
import { unseenTokensMax } from "./facts";

/** A request for completions: handled like a conversation, but for which upstreams have it and how they are asked. */
class CompletionsIntake extends ChatIntake {
  override readonly operation: OperationId = "completions";

  protected override remake(call: Call, body: Buffer, json: Json): ChatIntake {
    return new CompletionsIntake(call, this.dialect, body, json, this.dialect.client.readFacts(json, call.path));
  }

  override encode(target: EncodeTarget): Encoded {
    const { row, channel } = target;
    const serving = row.serves.completions;
    if (!serving) throw unsupportedType(channel.type);
    // What is fixed for conversations is not what is wrong with completions.
    const { fix: _, ...quirks } = row.quirks;
    const own = { ...target, row: { ...row, quirks: serving.fix ? { ...quirks, fix: serving.fix } : quirks } };
    if (serving.format === "openai") {
      return { ...encodeSame(this, this.dialect.upstream, own), url: serving.url };
    }
    if (serving.format !== promptRun.id) throw unsupportedType(channel.type);
    return { ...translate(this, promptRun.format, own), url: serving.url };
  }

  override measure(report: Report | null, sent: Sent | null): BilledUsage | Promise<BilledUsage> {
    const unseen = unseenTokensMax(this.json);
    // Its text is the prompt: that nothing was written is no count that is missing.
    const isEchoOnly =
      this.json.echo === true && report?.usage?.completionTokens === 0 && report.usage.promptTokens > 0;
    const read = report && isEchoOnly ? { ...report, textBytes: () => 0 } : report;
    return super.measure(read, sent && { ...sent, unseenTokensMax: sent.unseenTokensMax + unseen });
  }
}

const { client } = completionsDialect;

function readCompletions(body: Buffer, call: Call): Intake {
  return readConversationLike(body, call, (bytes, json, facts, fallbacks) => {
    return new CompletionsIntake(call, completionsDialect, bytes, json, facts, fallbacks);
  });
}

/** Texts that go on with a prompt, in OpenAI's older format. */
export const completions: Operation = {
  id: "completions",
  endpoints: client.paths.map((path) => ({ method: "POST", path, clientDialect: client })),
  read: readCompletions,
  charge: priceUsage,
  test: jsonTest(readCompletions, {
    path: "/v1/completions",
    models: TESTED_MODELS.completions,
    answerKey: "choices",
    json: () => ({ prompt: "hi", max_tokens: 10 }),
  }),
};
