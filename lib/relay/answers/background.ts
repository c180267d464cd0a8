import type { Secrets } from "../base/secrets";
import type { Json } from "../wire/canonical/json";
import { readText } from "../wire/canonical/json";
import { orNothing } from "../wire/canonical/nothing-used";
import type { UpstreamDialect } from "../wire/dialects/dialect";
import type { Report } from "./answer";
import { emptyAnswerRefusal } from "./refusal";
import { StoredAnswer, type StoredForm } from "./stored-answer";

const OVER = new Set(["completed", "incomplete", "failed", "cancelled"]);

/** Whether an answer in the background has ended, whatever came of it. */
export function isOver(response: Json): boolean {
  return OVER.has(readText(response.status));
}

/** An answer that its upstream works on by itself. What is sent of it is passed on at once: it can be fetched again. */
export class BackgroundAnswer extends StoredAnswer {
  private readonly dialect: UpstreamDialect;

  constructor(form: StoredForm, secrets: Secrets, dialect: UpstreamDialect) {
    super(form, secrets);
    this.dialect = dialect;
  }

  override end(): Buffer | null {
    const rest = super.end();
    if (readText(this.json?.id) === "") throw emptyAnswerRefusal();
    return rest;
  }

  override report(): Report {
    const { json, dialect } = this;
    if (!json) return super.report();
    const { texts, extra } = dialect.answerTexts(json);
    const text = texts.join("");
    const length = { asciiBytes: 0, otherBytes: Buffer.byteLength(text) };
    return {
      ...super.report(),
      inBackground: json,
      usage: isOver(json) ? orNothing(dialect.readUsage)(json.usage) : null,
      isComplete: isOver(json),
      keptObjects: () => dialect.passThrough.keptObjects?.(json) ?? [],
      textBytes: () => Math.max(this.passedBytes, Buffer.byteLength(text)),
      textLength: () => length,
      sample: () => ({ countable: { texts: [text], extra }, isAll: true, length }),
    };
  }
}
