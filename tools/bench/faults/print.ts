import type { Got } from "./caller";
import type { Result } from "./table";
import { isWhole, p95FirstMs } from "./verdict";

const HEAD = [
  "fault",
  "answer",
  "set-up",
  "caller got",
  "[DONE]",
  "Retry-After",
  "attempts",
  "ms",
  "charge",
  "verdict",
];

/** The table as Markdown, one line for each row. */
export function describeTable(results: readonly Result[]): string {
  const lines = [HEAD, HEAD.map(() => "---"), ...results.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellsOf({ fault, isStream, setUp, outcome, broken }: Result): string[] {
  const { got, atFaulty, atHealthy, noted, charge } = outcome;
  const worst = got.find((one) => !isWhole(one)) ?? got[0];
  const attempts = atFaulty === null ? `log ${noted}` : String(atFaulty.length);
  return [
    fault.name,
    isStream ? "streamed" : "whole",
    setUp,
    worst ? describeGot(worst) : "nothing",
    isStream ? (worst?.isDone ? "yes" : "no") : "–",
    worst?.retryAfter ?? "–",
    atHealthy === null ? attempts : `${attempts} + ${atHealthy}`,
    describeTimes(outcome),
    String(charge),
    broken.length === 0 ? "ok" : `**${broken.join("; ")}**`,
  ];
}

/** The longest of all calls; of a crowd the p95 to the first byte, and that of the callers who came later. */
function describeTimes({ got, later }: Result["outcome"]): string {
  if (later.length === 0) return Math.max(...got.map(({ ms }) => ms)).toFixed(0);
  const first = got.slice(0, got.length - later.length);
  return `p95 ${p95FirstMs(first).toFixed(0)}, later ${p95FirstMs(later).toFixed(0)}`;
}

/** What the caller got, in a few words. */
function describeGot(got: Got): string {
  if (isWhole(got)) return `${got.status}, whole`;
  const parts = [got.status === null ? "no answer" : String(got.status)];
  if (got.text !== "") parts.push(`${got.text.length} characters`);
  if (got.finishReason !== null) parts.push(`finish ${got.finishReason}`);
  if (got.error !== null) parts.push(got.status === 200 ? "error event" : "error");
  if (got.badEvents > 0) parts.push("unreadable");
  if (got.ended === "left") parts.push("caller gave up");
  if (got.ended === "broken") parts.push("connection broken");
  return parts.join(", ");
}
