import { endOfNested, findLastText, skipSpace } from "../base/json-splice";
import type { FinishReason } from "../wire/canonical/event";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import type { PassThrough, WholeBody } from "../wire/dialects/dialect";
import { emptyAnswerRefusal, reportedRefusal, unreadableRefusal } from "./refusal";

const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const ERROR_VALUE = '"error"';

type Whole = Pick<PassThrough, "answerKey"> & Partial<Pick<PassThrough, "finishReasonKey" | "readFinishReason">>;

/**
 * Throws AnswerRefused unless the body is an answer. Parses only what does not plainly look like one. Returns how it ends, null where it
 * says nothing of that; undefined = it was parsed, and something in it may be called "error".
 */
export function checkWhole(body: Buffer, dialect: WholeBody & Whole): FinishReason | null | undefined {
  if (looksWhole(body, dialect.answerKey)) {
    const raw = dialect.finishReasonKey === undefined ? undefined : findLastText(body, dialect.finishReasonKey);
    if (raw === undefined) return null;
    const finish = dialect.readFinishReason?.(raw) ?? null;
    // A reason that its dialect does not know may say that it failed.
    if (raw === "" || finish?.unified !== "other") return finish;
  }
  const text = body.toString("utf8");
  const json = parseJsonObject(text);
  if (!json) throw unreadableRefusal(body);
  if (dialect.hasFailed(json)) throw reportedRefusal(text);
  if (!dialect.hasAnswer(json)) throw emptyAnswerRefusal();
  return undefined;
}

/** Whether it is one object whose braces match, without an error, with objects in the list under this key. */
function looksWhole(body: Buffer, answerKey: string): boolean {
  const start = skipSpace(body, 0);
  if (body[start] !== OPEN_BRACE || body.includes(ERROR_VALUE)) return false;
  if (!startsList(body, answerKey)) return false;
  const end = endOfNested(body, start);
  return end !== -1 && skipSpace(body, end) === body.length;
}

function startsList(body: Buffer, key: string): boolean {
  const at = body.indexOf(key);
  if (at === -1) return false;
  const colon = skipSpace(body, at + key.length);
  const list = skipSpace(body, colon + 1);
  return body[colon] === COLON && body[list] === OPEN_BRACKET && body[skipSpace(body, list + 1)] === OPEN_BRACE;
}
